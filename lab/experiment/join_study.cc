#include "lab/experiment/join_study.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/parallel.h"
#include "common/base/status_macros.h"
#include "lab/joins/join_registry.h"
#include "lab/joins/join_trial.h"
#include "lab/joins/star_sets.h"

namespace tombola::lab {
namespace {

using simulation::Generator;
using simulation::SeedSequence;

constexpr int32_t kBranching = 5;
// Of which methods choose the best one, with the first few queries.
constexpr int64_t kTaus[] = {1, 2, 3, 4, 5, 7, 10};
constexpr size_t kChoosingQueries = 5;

struct JoinFace {
  absl::string_view name;
  int style;
  bool dashed = false;
};
constexpr JoinFace kJoinFaces[] = {
    {"sc_join", 0},       {"hio_join", 1},     {"hio_join_rdc", 1, true},
    {"lprr_t", 2},        {"lprr_e", 2, true}, {"hio", 3},
    {"hio_rdc", 3, true}, {"flat_grr", 4},     {"grid", 5},
    {"local_tree", 6},    {"own", 7},          {"laplace", 8, true},
};

constexpr char kSyn1Text[] =
    R"(1,000,000 devices with 1 to 10 joined tuples each, uniformly; all attributes, and the amount, are
independent and normal with mean m/2 and standard deviation m/4, m = 125, rounded and clipped.)";
constexpr char kSyn2Text[] = "The same with 3,000,000 devices.";
constexpr char kIpumsText[] =
    R"(IPUMS-P cannot be had. This is synthetic: its 3,210,231 devices, of which 97 % have below six tuples
(geometric, at most 10). The device's attribute is uniform over 90 of 125 places, of the product's two in five
are at one place, the tuple's attribute and the amount are log-normal.)";
constexpr char kAdultText[] =
    R"(UCI Adult, 32,561 people: age is the device's attribute. Each has 1 to 10 tuples, uniformly, drawn from
all rows: years of education (25 places), hours per week and the row's weight, scaled, as the amount. The paper
does not say how it joins them.)";

// What is asked of the data of one kind.
struct Asked {
  std::vector<JoinQuery> queries;
  std::vector<JoinTruth> truths;
};

Asked DrawQueries(const StarData& data, int asked, double volume, Generator& random) {
  Asked drawn;
  while (drawn.queries.size() < kJoinQueries) {
    const int64_t user = static_cast<int64_t>(UniformBelow(data.users(), random));
    const auto tuples = data.joined(user);
    if (tuples.empty()) continue;
    const Places around =
        CellOf(data.profile(user), tuples[UniformBelow(tuples.size(), random)], asked);
    JoinQuery query = {.asked = asked};
    for (int i = 0; i < asked; ++i) {
      const int32_t places = data.places()[i];
      const int32_t width =
          std::max(1, static_cast<int32_t>(std::lround(volume * static_cast<double>(places))));
      const int32_t begin = std::clamp(around[i] - width / 2, 0, places - width);
      query.box[i] = {begin, begin + width};
    }
    drawn.queries.push_back(query);
    drawn.truths.push_back(TruthOf(data, query));
  }
  return drawn;
}

// One method at one point of an axis.
struct Task {
  std::string key;  // whose noise it is
  MadeJoin made;
  const Asked* asked = nullptr;
  std::vector<AnswerLaw> laws;
  JoinErrors* errors = nullptr;
  std::vector<double> count_nmse, sum_nmse, count_mre, sum_mre, average_mre;  // by trial
};

double PredictedNmse(const AnswerLaw& law, double truth, double total) {
  return (law.count_variance + std::pow(law.count - truth, 2)) / (total * total);
}

class Runner {
 public:
  Runner(const StarData& data, const MeasureOptions& options)
      : data_(data), options_(options), total_(TotalOf(data)) {}

  // Plans everything; the study's lines are where the results go.
  absl::Status Plan(absl::Span<const JoinAxis> axes, JoinStudy& study) {
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      for (const bool shuffled : {false, true}) {
        auto& way = shuffled ? study.shuffled : study.local;
        way.emplace_back();
        for (const JoinEntry& entry : JoinMethods()) {
          if (shuffled ? entry.shuffled == nullptr : entry.name == "own") continue;
          JoinLine& line = way.back().lines.emplace_back();
          line.name = std::string(entry.name);
          line.title = absl::StrCat(entry.title, entry.is_private ? "" : " †");
          for (const JoinFace& face : kJoinFaces) {
            if (face.name != entry.name) continue;
            line.style = face.style;
            line.dashed = face.dashed;
          }
          line.errors.resize(axes[axis].points.size());
        }
      }
    }
    for (int asked = 1; asked <= kJoinAttributes; ++asked) {
      JoinFacts facts(data_, asked);
      for (size_t axis = 0; axis < axes.size(); ++axis) {
        for (size_t at = 0; at < axes[axis].points.size(); ++at) {
          if (axes[axis].points[at].asked != asked) continue;
          for (const bool shuffled : {false, true}) {
            JoinComparison& way = (shuffled ? study.shuffled : study.local)[axis];
            for (JoinLine& line : way.lines) {
              TOMBOLA_RETURN_IF_ERROR(PlanOne(facts, axes[axis], axes[axis].points[at], shuffled,
                                              line.name, line.errors[at]));
            }
          }
        }
      }
      Run(asked);
    }
    return absl::OkStatus();
  }

  // For each point of an axis.
  absl::Status AddCaps(const JoinAxis& axis, JoinStudy& study) {
    for (const JoinPoint& point : axis.points) {
      const Asked& asked = AskedAt(point.asked, point.volume);
      TOMBOLA_ASSIGN_OR_RETURN(const std::vector<CapPoint> points,
                               StudyCaps(data_, point.asked, asked.queries, asked.truths,
                                         point.epsilon, kJoinDelta, options_.threads));
      study.capped.insert(study.capped.end(), points.begin(), points.end());
    }
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<const Shuffling*> ShufflingAt(double epsilon) {
    const auto found = shufflings_.find(epsilon);
    if (found != shufflings_.end()) return &found->second;
    TOMBOLA_ASSIGN_OR_RETURN(Shuffling made, Shuffling::Create(data_.users(), epsilon, kJoinDelta));
    return &shufflings_.emplace(epsilon, std::move(made)).first->second;
  }

  const Asked& AskedAt(int asked, double volume) {
    const auto [found, made] = asked_.try_emplace({asked, volume});
    if (made) {
      Generator random(SeedSequence(options_.seed)
                           .Add("queries")
                           .Add(static_cast<uint64_t>(asked))
                           .Add(volume)
                           .seed());
      found->second = DrawQueries(data_, asked, volume, random);
    }
    return found->second;
  }

  absl::StatusOr<MadeJoin> Make(const JoinEntry& entry, const JoinPoint& point, int64_t tau,
                                const Shuffling* shuffling) {
    const JoinSetting setting = {.places = data_.places(),
                                 .asked = point.asked,
                                 .users = data_.users(),
                                 .tau = tau,
                                 .branching = kBranching,
                                 .epsilon = point.epsilon};
    TOMBOLA_RETURN_IF_ERROR(Validate(setting));
    if (shuffling == nullptr) return entry.local(setting);
    return entry.shuffled(setting, *shuffling);
  }

  absl::StatusOr<MadeJoin> MakeBest(const JoinEntry& entry, const JoinPoint& point,
                                    const Shuffling* shuffling, JoinFacts& facts) {
    const Asked& asked = AskedAt(point.asked, point.volume);
    MadeJoin best;
    double least = std::numeric_limits<double>::infinity();
    for (const int64_t tau : kTaus) {
      if (tau > data_.most()) break;
      TOMBOLA_ASSIGN_OR_RETURN(MadeJoin made, Make(entry, point, tau, shuffling));
      if (made.method == nullptr) return made;
      double error = 0;
      for (size_t i = 0; i < kChoosingQueries; ++i) {
        error += PredictedNmse(made.method->LawOf(facts, asked.queries[i]), asked.truths[i].count,
                               total_.count);
      }
      if (error >= least) continue;
      least = error;
      best = std::move(made);
    }
    return best;
  }

  absl::Status PlanOne(JoinFacts& facts, const JoinAxis& axis, const JoinPoint& point,
                       bool shuffled, const std::string& name, JoinErrors& errors) {
    const auto entries = JoinMethods();
    const JoinEntry& entry = *std::find_if(entries.begin(), entries.end(),
                                           [&](const auto& other) { return other.name == name; });
    const Shuffling* shuffling = nullptr;
    if (shuffled) {
      TOMBOLA_ASSIGN_OR_RETURN(shuffling, ShufflingAt(point.epsilon));
    }
    const bool best = name == "laplace" || (shuffled && !axis.fixed_tau);
    const int64_t tau = name == "lprr_e" ? point.tau_e : point.tau;
    Task task;
    if (best) {
      TOMBOLA_ASSIGN_OR_RETURN(task.made, MakeBest(entry, point, shuffling, facts));
    } else {
      TOMBOLA_ASSIGN_OR_RETURN(task.made, Make(entry, point, tau, shuffling));
    }
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    if (task.made.method == nullptr) {
      errors.count_nmse = errors.sum_nmse = errors.count_mre = errors.sum_mre =
          errors.average_mre = {kNone, kNone};
      return absl::OkStatus();
    }
    task.key = absl::StrCat(axis.name, shuffled ? " shuffled " : " local ", name, " ", point.x);
    task.asked = &AskedAt(point.asked, point.volume);
    task.errors = &errors;
    errors.tau = task.made.method->setting().tau;
    errors.local_epsilon = task.made.local_epsilon;
    errors.messages = task.made.messages;
    errors.predicted = 0;
    for (size_t i = 0; i < task.asked->queries.size(); ++i) {
      task.laws.push_back(task.made.method->LawOf(facts, task.asked->queries[i]));
      errors.predicted +=
          PredictedNmse(task.laws.back(), task.asked->truths[i].count, total_.count) / kJoinQueries;
    }
    const size_t trials = static_cast<size_t>(options_.trials);
    for (auto* numbers :
         {&task.count_nmse, &task.sum_nmse, &task.count_mre, &task.sum_mre, &task.average_mre}) {
      numbers->resize(trials, 0);
    }
    tasks_.push_back(std::move(task));
    return absl::OkStatus();
  }

  void Observe(Task& task, size_t number, absl::Span<const JoinAnswer> answers) const {
    for (size_t i = 0; i < answers.size(); ++i) {
      const JoinTruth& truth = task.asked->truths[i];
      const double count = answers[i].count - truth.count, sum = answers[i].sum - truth.sum;
      const double average = truth.sum / truth.count;
      task.count_nmse[number] += std::pow(count / total_.count, 2) / kJoinQueries;
      task.sum_nmse[number] += std::pow(sum / total_.sum, 2) / kJoinQueries;
      task.count_mre[number] += std::fabs(count) / truth.count / kJoinQueries;
      task.sum_mre[number] += std::fabs(sum) / truth.sum / kJoinQueries;
      task.average_mre[number] +=
          std::fabs(answers[i].Average() - average) / average / kJoinQueries;
    }
  }

  // All tasks, which are for questions about so many attributes.
  void Run(int asked) {
    ForEachIndex(static_cast<size_t>(options_.trials), options_.threads, [&](size_t number) {
      JoinTrial trial(data_, asked,
                      SeedSequence(options_.seed).Add(static_cast<uint64_t>(number)).seed());
      for (Task& task : tasks_) {
        Generator noise(
            SeedSequence(options_.seed).Add(static_cast<uint64_t>(number)).Add(task.key).seed());
        Observe(task, number, task.made.method->Run(trial, task.asked->queries, task.laws, noise));
      }
      if (options_.trial_done) options_.trial_done();
    });
    for (const Task& task : tasks_) {
      task.errors->count_nmse = AverageOf(task.count_nmse);
      task.errors->sum_nmse = AverageOf(task.sum_nmse);
      task.errors->count_mre = AverageOf(task.count_mre);
      task.errors->sum_mre = AverageOf(task.sum_mre);
      task.errors->average_mre = AverageOf(task.average_mre);
    }
    tasks_.clear();
  }

  const StarData& data_;
  const MeasureOptions& options_;
  JoinTruth total_;
  std::map<double, Shuffling> shufflings_;
  std::map<std::pair<int, double>, Asked> asked_;
  std::vector<Task> tasks_;
};

}  // namespace

std::vector<JoinData> JoinDataSets(const std::string& folder, double part, uint64_t seed) {
  const auto users = [part](int64_t all) {
    return std::max<int64_t>(1, std::llround(part * static_cast<double>(all)));
  };
  std::vector<JoinData> sets = {
      {"syn-1", "SYN-1", kSyn1Text,
       [=]() -> absl::StatusOr<StarData> { return DrawSyn(users(1000000), seed); }},
      {"syn-2", "SYN-2", kSyn2Text,
       [=]() -> absl::StatusOr<StarData> { return DrawSyn(users(3000000), seed); }},
      {"ipums", "IPUMS-P, stand-in", kIpumsText,
       [=]() -> absl::StatusOr<StarData> { return DrawIpumsStandIn(users(kIpumsUsers), seed); }}};
  if (!folder.empty()) {
    sets.push_back({"adult", "Adult", kAdultText, [=] { return ReadAdult(folder, seed); }});
  }
  return sets;
}

std::vector<JoinAxis> JoinAxes() {
  JoinAxis epsilon = {.name = "epsilon", .title = "ε"};
  for (const double x : {1, 2, 3, 4, 5}) epsilon.points.push_back({.x = x, .epsilon = x});
  JoinAxis volume = {.name = "volume", .title = "volume"};
  for (const double x : {0.07, 0.15, 0.22, 0.3}) {
    volume.points.push_back({.x = x, .epsilon = 2, .volume = x, .tau = 3, .tau_e = 2});
  }
  JoinAxis asked = {.name = "ranges", .title = "ranges"};
  for (const int x : {1, 2, 3}) {
    asked.points.push_back({.x = static_cast<double>(x), .epsilon = 2, .volume = 0.07, .asked = x});
  }
  JoinAxis tau = {.name = "tau", .title = "τ", .fixed_tau = true};
  for (const int64_t x : {1, 2, 3, 4}) {
    tau.points.push_back({.x = static_cast<double>(x), .epsilon = 2, .tau = x, .tau_e = x});
  }
  return {epsilon, volume, asked, tau};
}

const JoinLine* JoinComparison::Find(absl::string_view name) const {
  for (const JoinLine& line : lines) {
    if (line.name == name) return &line;
  }
  return nullptr;
}

absl::StatusOr<JoinStudy> RunJoinStudy(const JoinData& data, const MeasureOptions& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const StarData stars, data.make());
  JoinStudy study = {.data = data,
                     .users = stars.users(),
                     .tuples = stars.tuples(),
                     .most = stars.most(),
                     .places = stars.places()};
  for (int64_t user = 0; user < stars.users(); ++user) {
    if (stars.joined(user).size() < 6) study.below_six += 1 / static_cast<double>(stars.users());
  }
  const JoinFacts facts(stars, 1);
  for (int64_t tau = 1; tau <= stars.most(); ++tau) {
    study.tau_bias.push_back(1 - facts.KeptShare(tau));
  }
  const std::vector<JoinAxis> axes = JoinAxes();
  Runner runner(stars, options);
  TOMBOLA_RETURN_IF_ERROR(runner.Plan(axes, study));
  const auto ranges = std::find_if(axes.begin(), axes.end(),
                                   [](const JoinAxis& axis) { return axis.name == "ranges"; });
  TOMBOLA_RETURN_IF_ERROR(runner.AddCaps(*ranges, study));
  return study;
}

}  // namespace tombola::lab
