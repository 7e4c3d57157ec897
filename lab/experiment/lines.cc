#include "lab/experiment/lines.h"

#include <limits>
#include <utility>

#include "common/base/status_macros.h"
#include "lab/key_value/central.h"
#include "lab/key_value/collision.h"
#include "lab/key_value/hiskv.h"
#include "lab/key_value/registry.h"
#include "lab/sets/registry.h"
#include "lab/shuffled/account.h"
#include "lab/shuffled/own_methods.h"

namespace tombola::lab {
namespace {

// Levels of a value where all cells are sent.
constexpr int kSharedLevels = 3;

// How a method looks in every chart; what is not named is in none.
struct Face {
  absl::string_view name;
  int style;
  bool dashed = false;
};
constexpr Face kFaces[] = {
    {"priv_kv", 0},
    {"priv_kv_unbiased", 0},
    {"asked_bit", 0},
    {"ldpkv", 1},
    {"padded_oue", 1},
    {"kvoh", 2},
    {"padded_olh", 2},
    {"rappor_harmony", 3},
    {"pckv_grr_pair", 4},
    {"pckv_grr", 5},
    {"padded_set_grr", 5},
    {"pckv_ue", 6},
    {"hiskv", 7},
    {"hiskv_threshold", 7, true},
    {"lrr_kv", 7},
    {"collision", 8},
    {"padded_grr", 5, true},
    {"sampled_noise", 3, true},
    {"shared_noise", 4, true},
    {"gaussian", 1, true},
    {"laplace", 0, true},
};

Line LineOf(absl::string_view name, absl::string_view title) {
  Line line = {.name = std::string(name), .title = std::string(title), .style = -1};
  for (const Face& face : kFaces) {
    if (face.name != name) continue;
    line.style = face.style;
    line.dashed = face.dashed;
  }
  return line;
}

template <typename M>
std::unique_ptr<const Method> Owned(M method) {
  return std::make_unique<const M>(std::move(method));
}

Setting SettingOf(const Question& question, int64_t items, double epsilon) {
  return {
      .keys = question.keys, .items = items, .epsilon = epsilon, .levels = question.values ? 2 : 1};
}

// Makes a method for so many pairs of a device.
using MakePoint = std::function<absl::StatusOr<Point>(int64_t items)>;

absl::StatusOr<Point> BestPoint(absl::Span<const int64_t> candidates, const MakePoint& make,
                                Predictor& predictor) {
  Point best;
  double least = std::numeric_limits<double>::infinity();
  for (const int64_t items : candidates) {
    TOMBOLA_ASSIGN_OR_RETURN(Point point, make(items));
    const double error = predictor.FrequencyError(*point.method);
    if (error >= least) continue;
    least = error;
    best = std::move(point);
  }
  return best;
}

absl::StatusOr<Point> CollisionPoint(Setting setting, double range, const Target& target) {
  TOMBOLA_ASSIGN_OR_RETURN(const CollisionLaw law, ShuffledCollision(setting.items, range, target));
  setting.epsilon = law.epsilon;
  return Point{.method = std::make_unique<const Collision>(setting, law.buckets),
               .local_epsilon = law.epsilon};
}

// A published method behind a shuffler.
absl::StatusOr<Point> ShuffledPoint(const Published& published, Setting setting,
                                    const Target& target) {
  TOMBOLA_ASSIGN_OR_RETURN(setting.epsilon, LargestNominal(
                                                [&](double nominal) {
                                                  Setting at = setting;
                                                  at.epsilon = nominal;
                                                  return published.law(at);
                                                },
                                                target));
  return Point{.method = published.make(setting), .local_epsilon = published.law(setting).epsilon};
}

// What only Tombola has, and the yardsticks.
struct OwnLine {
  absl::string_view name, title;
  std::function<absl::StatusOr<Point>(const Setting& setting)> make;
};

std::vector<OwnLine> OwnLines(const Question& question, double delta) {
  const int64_t users = question.users;
  return {
      {"padded_grr", "PS + grr (Tombola)",
       [=](const Setting& setting) -> absl::StatusOr<Point> {
         TOMBOLA_ASSIGN_OR_RETURN(PaddedGrr planned, PlanPaddedGrr(setting, users, delta));
         return Point{.method = Owned(std::move(planned.method)),
                      .local_epsilon = planned.local_epsilon};
       }},
      {"sampled_noise", "pure_dump, 1 of l (Tombola)",
       [=](const Setting& setting) -> absl::StatusOr<Point> {
         TOMBOLA_ASSIGN_OR_RETURN(SampledNoise planned, PlanSampledNoise(setting, delta));
         const double messages = planned.Messages(users);
         return Point{.method = Owned(std::move(planned)), .messages = messages};
       }},
      {"shared_noise", "pure_dump, all l (Tombola)",
       [=](Setting setting) -> absl::StatusOr<Point> {
         if (setting.levels > 1) setting.levels = kSharedLevels;
         TOMBOLA_ASSIGN_OR_RETURN(SharedNoise planned, PlanSharedNoise(setting, delta));
         const double messages = planned.Messages(users);
         return Point{.method = Owned(std::move(planned)), .messages = messages};
       }},
      {"gaussian", "Gaussian (central)",
       [=](const Setting& setting) -> absl::StatusOr<Point> {
         TOMBOLA_ASSIGN_OR_RETURN(Central planned, Central::Gaussian(setting, delta));
         return Point{.method = Owned(std::move(planned)), .messages = 0};
       }},
      {"laplace", "Laplace (central)",
       [](const Setting& setting) -> absl::StatusOr<Point> {
         return Point{.method = Owned(Central::Laplace(setting)), .messages = 0};
       }},
  };
}

}  // namespace

std::vector<Published> PublishedKeyValueMethods() {
  std::vector<Published> methods;
  for (const LocalEntry& entry : LocalMethods()) {
    methods.push_back({std::string(entry.name), std::string(entry.title),
                       [&entry](const Setting& setting) { return entry.make(setting); },
                       [&entry](const Setting& setting) { return entry.make(setting)->law(); }});
  }
  return methods;
}

std::vector<Published> PublishedSetMethods() {
  std::vector<Published> methods;
  for (const SetEntry& entry : SetMethods()) {
    methods.push_back({std::string(entry.name), std::string(entry.title),
                       [&entry](const Setting& setting) { return entry.make(setting).method; },
                       [&entry](const Setting& setting) { return entry.make(setting).law; }});
  }
  return methods;
}

absl::StatusOr<std::vector<Line>> LocalLines(const Question& question,
                                             absl::Span<const Published> published, int64_t items,
                                             absl::Span<const double> epsilons) {
  for (const double epsilon : epsilons) {
    TOMBOLA_RETURN_IF_ERROR(Validate(SettingOf(question, items, epsilon)));
  }
  std::vector<Line> lines;
  for (const Published& method : published) {
    Line& line = lines.emplace_back(LineOf(method.name, method.title));
    // Not in a chart: the one hides behind PrivKV's frequencies, the other behind HISKV.
    if (method.name == "priv_kv_unbiased" || method.name == "lrr_kv") line.style = -1;
    for (const double epsilon : epsilons) {
      const Setting setting = SettingOf(question, items, epsilon);
      line.points.push_back(
          {.method = method.make(setting), .local_epsilon = method.law(setting).epsilon});
    }
  }
  Line& laplace = lines.emplace_back(LineOf("laplace", "Laplace (central)"));
  for (const double epsilon : epsilons) {
    laplace.points.push_back(
        {.method = Owned(Central::Laplace(SettingOf(question, items, epsilon))), .messages = 0});
  }
  return lines;
}

std::vector<Line> HiskvLines(const Question& question, absl::Span<const double> epsilons) {
  std::vector<Line> lines;
  lines.push_back(LineOf("hiskv", "HISKV"));
  lines.push_back(LineOf("hiskv_threshold", "HISKV, threshold l"));
  for (const double epsilon : epsilons) {
    const Setting setting = SettingOf(question, 1, epsilon);
    lines[0].points.push_back({.method = Owned(Hiskv(setting, LengthRule::kOetl))});
    lines[1].points.push_back({.method = Owned(Hiskv(setting, LengthRule::kThreshold))});
  }
  return lines;
}

absl::StatusOr<std::vector<Line>> ShuffledLines(const Question& question,
                                                absl::Span<const Published> published,
                                                absl::Span<const int64_t> candidates,
                                                absl::Span<const double> epsilons, double delta,
                                                Predictor& predictor) {
  std::vector<Line> lines;
  for (const Published& method : published) lines.push_back(LineOf(method.name, method.title));
  for (const double epsilon : epsilons) {
    TOMBOLA_ASSIGN_OR_RETURN(const Target target, Target::Create(question.users, epsilon, delta));
    TOMBOLA_ASSIGN_OR_RETURN(const double range, BestCollisionRange(target));
    for (size_t i = 0; i < lines.size(); ++i) {
      const auto make = [&](int64_t items) {
        const Setting setting = SettingOf(question, items, epsilon);
        return published[i].name == "collision" ? CollisionPoint(setting, range, target)
                                                : ShuffledPoint(published[i], setting, target);
      };
      // Who asks for one key of all cuts nothing off.
      const bool asks = published[i].make(SettingOf(question, 1, epsilon))->items() > 1;
      TOMBOLA_ASSIGN_OR_RETURN(
          Point point, BestPoint(asks ? candidates.subspan(0, 1) : candidates, make, predictor));
      lines[i].points.push_back(std::move(point));
    }
  }
  for (const OwnLine& own : OwnLines(question, delta)) {
    Line& line = lines.emplace_back(LineOf(own.name, own.title));
    for (const double epsilon : epsilons) {
      const auto make = [&](int64_t items) {
        return own.make(SettingOf(question, items, epsilon));
      };
      TOMBOLA_ASSIGN_OR_RETURN(Point point, BestPoint(candidates, make, predictor));
      line.points.push_back(std::move(point));
    }
  }
  return lines;
}

}  // namespace tombola::lab
