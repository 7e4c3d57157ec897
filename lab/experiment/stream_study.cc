#include "lab/experiment/stream_study.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/accounting/gaussian.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/stream/design.h"
#include "common/stream/running_totals.h"
#include "common/stream/shares.h"
#include "common/stream/structure.h"
#include "common/stream/toeplitz.h"
#include "lab/streams/general_shares.h"
#include "lab/streams/toeplitz.h"
#include "lab/streams/trees.h"

namespace tombola::lab {
namespace {

using stream::Norm;
using stream::Shares;
using stream::Structure;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr TotalSpread kNoSpread = {kNone, kNone, kNone};

TotalSpread Times(const TotalSpread& spread, double factor) {
  return {spread.mean * factor, spread.max * factor, spread.share * factor};
}

// A structure with its shares, and how it looks.
enum class Kind { kPlain, kFenwick, kFda, kBest };
struct KindFace {
  Kind kind;
  absl::string_view name, title;
  int style;
  bool dashed;
};
constexpr KindFace kKinds[] = {
    {Kind::kPlain, "plain", "plain counts", 0, false},
    {Kind::kFenwick, "fenwick", "Fenwick tree, as binary tree", 1, false},
    {Kind::kFda, "fda", "Fenwick tree, FDA", 2, false},
    {Kind::kBest, "best", "best structure (Tombola)", 7, false},
};

bool HasKind(Kind kind, int64_t periods) {
  return kind != Kind::kBest || periods <= stream::kMostSearchedPeriods;
}

struct Made {
  Structure structure;
  Shares shares;
};

absl::StatusOr<Made> Make(Kind kind, Norm norm, int64_t periods) {
  if (kind == Kind::kPlain || kind == Kind::kBest) {
    TOMBOLA_ASSIGN_OR_RETURN(Structure structure, kind == Kind::kPlain
                                                      ? Structure::Plain(periods)
                                                      : Structure::Best(periods, norm));
    Shares shares = stream::SharesOf(structure, norm);
    return Made{std::move(structure), std::move(shares)};
  }
  TOMBOLA_ASSIGN_OR_RETURN(Structure structure, Structure::Fenwick(periods));
  Shares shares =
      kind == Kind::kFda ? stream::SharesOf(structure, norm) : EqualShares(structure, norm);
  return Made{std::move(structure), std::move(shares)};
}

StreamLine LineOf(const KindFace& face) {
  return {.name = std::string(face.name),
          .title = std::string(face.title),
          .style = face.style,
          .dashed = face.dashed};
}

// All kinds of structures with noise that goes by the share alone.
absl::Status AddKinds(absl::Span<const int64_t> all, Norm norm, const NoiseOf& noise,
                      StreamWorld& world) {
  for (const KindFace& face : kKinds) {
    StreamLine& line = world.lines.emplace_back(LineOf(face));
    for (const int64_t periods : all) {
      if (!HasKind(face.kind, periods)) {
        line.spreads.push_back(kNoSpread);
        continue;
      }
      TOMBOLA_ASSIGN_OR_RETURN(const Made made, Make(face.kind, norm, periods));
      line.spreads.push_back(StructureSpread(made.structure, made.shares, noise));
    }
  }
  return absl::OkStatus();
}

template <typename Method>
void AddLine(absl::Span<const int64_t> all, StreamLine line, const Method& method,
             StreamWorld& world) {
  for (const int64_t periods : all) line.spreads.push_back(method(periods));
  world.lines.push_back(std::move(line));
}

StreamLine Face(absl::string_view name, absl::string_view title, int style, bool dashed = false) {
  return {.name = std::string(name), .title = std::string(title), .style = style, .dashed = dashed};
}

absl::StatusOr<StreamWorld> Pure(absl::Span<const int64_t> all, double epsilon) {
  StreamWorld world = {.key = "pure", .title = "Somebody trusted, ε"};
  const NoiseOf noise = DiscreteLaplaceNoise(epsilon);
  AddLine(
      all, Face("naive", "every total anew", 3, true),
      [&](int64_t periods) { return NaiveRelease(periods, noise); }, world);
  TOMBOLA_RETURN_IF_ERROR(AddKinds(all, Norm::kL1, noise, world));
  AddLine(
      all, Face("honaker", "binary tree, Honaker", 4),
      [&](int64_t periods) { return HonakerTree(periods, noise); }, world);
  AddLine(
      all, Face("k_ary", "k-ary tree with subtraction ‡", 5),
      [&](int64_t periods) { return KarySpread(periods, noise); }, world);
  return world;
}

absl::StatusOr<StreamWorld> Gaussian(absl::Span<const int64_t> all, const StreamTarget& target) {
  StreamWorld world = {.key = "gaussian", .title = "Somebody trusted, (ε, δ)"};
  TOMBOLA_ASSIGN_OR_RETURN(const double theta,
                           accounting::GaussianTheta(target.epsilon, target.delta));
  const NoiseOf noise = GaussianNoise(theta);
  AddLine(
      all, Face("naive", "every total anew", 3, true),
      [&](int64_t periods) { return NaiveRelease(periods, noise); }, world);
  TOMBOLA_RETURN_IF_ERROR(AddKinds(all, Norm::kL2, noise, world));
  AddLine(
      all, Face("honaker", "binary tree, Honaker", 4),
      [&](int64_t periods) { return HonakerTree(periods, noise); }, world);
  AddLine(
      all, Face("square_root", "square root ‡", 5),
      [&](int64_t periods) { return Times(SquareRootSpread(periods), noise(1)); }, world);
  AddLine(
      all, Face("blt", absl::StrCat("BLT of ", kBltNumbers, " numbers ‡"), 6),
      [&](int64_t periods) {
        return Times(BltSpread(stream::SearchBlt(periods, kBltNumbers), periods), noise(1));
      },
      world);
  return world;
}

absl::StatusOr<StreamWorld> Shuffled(absl::Span<const int64_t> all, NodeNoise noise,
                                     const StreamTarget& target) {
  const bool poisson = noise == NodeNoise::kPoisson;
  StreamWorld world = {.key = poisson ? "pure_dump" : "aue",
                       .title = poisson ? "Shuffled, `pure_dump`" : "Shuffled, `aue`"};
  for (const KindFace& face : kKinds) {
    StreamLine& line = world.lines.emplace_back(LineOf(face));
    for (const int64_t periods : all) {
      if (!HasKind(face.kind, periods)) {
        line.spreads.push_back(kNoSpread);
        for (auto* numbers : {&line.messages, &line.raises, &line.worst}) {
          numbers->push_back(kNone);
        }
        continue;
      }
      TOMBOLA_ASSIGN_OR_RETURN(const Made made, Make(face.kind, Norm::kL2, periods));
      TOMBOLA_ASSIGN_OR_RETURN(
          const ShuffledNodes nodes,
          PlanShuffledNodes(made.structure, made.shares, noise, target, kComposedPeriods));
      line.spreads.push_back(SpreadOf(made.structure, nodes));
      line.messages.push_back(nodes.messages);
      line.raises.push_back(nodes.raise);
      line.worst.push_back(nodes.worst);
    }
  }
  return world;
}

// Tombola's doubling blocks, of that method or of the best one, up to the numbers of blocks.
absl::StatusOr<StreamLine> Doubling(StreamLine line, const StreamTarget& target, double delta,
                                    std::optional<stream::Method> method, bool adaptive) {
  const stream::TotalsOptions options = {.question = {.epsilon = target.epsilon,
                                                      .delta = delta,
                                                      .periods = 1,
                                                      .sensitivity = 1,
                                                      .adaptive = adaptive,
                                                      .method = method},
                                         .unbounded = true};
  for (const int blocks : kUnboundedBlocks) {
    TOMBOLA_ASSIGN_OR_RETURN(const stream::UnboundedVariance variance,
                             stream::PredictUnbounded(options, blocks));
    line.spreads.push_back({.mean = variance.mean, .max = variance.max, .share = kNone});
  }
  return line;
}

absl::StatusOr<UnboundedStudy> Unbounded(const StreamTarget& target) {
  UnboundedStudy study;
  for (const int blocks : kUnboundedBlocks) study.periods.push_back((int64_t{1} << blocks) - 1);
  const NoiseOf laplace = DiscreteLaplaceNoise(target.epsilon);
  StreamWorld& pure = study.worlds.emplace_back(StreamWorld{.key = "unbounded_pure", .title = "ε"});
  AddLine(
      study.periods, Face("hybrid", "hybrid of Chan et al.", 1),
      [&](int64_t periods) { return UnboundedTree(periods, laplace); }, pure);
  TOMBOLA_ASSIGN_OR_RETURN(
      pure.lines.emplace_back(),
      Doubling(Face("doubling", "doubling blocks (Tombola)", 7), target, 0, std::nullopt, true));
  TOMBOLA_ASSIGN_OR_RETURN(pure.lines.emplace_back(),
                           Doubling(Face("doubling_k_ary", "the same of k-ary trees ‡", 5), target,
                                    0, stream::Method::kKAry, false));
  TOMBOLA_ASSIGN_OR_RETURN(const double theta,
                           accounting::GaussianTheta(target.epsilon, target.delta));
  const NoiseOf normal = GaussianNoise(theta);
  StreamWorld& gaussian =
      study.worlds.emplace_back(StreamWorld{.key = "unbounded_gaussian", .title = "(ε, δ)"});
  AddLine(
      study.periods, Face("hybrid", "hybrid of Chan et al.", 1),
      [&](int64_t periods) { return UnboundedTree(periods, normal); }, gaussian);
  TOMBOLA_ASSIGN_OR_RETURN(gaussian.lines.emplace_back(),
                           Doubling(Face("doubling", "doubling blocks (Tombola)", 7), target,
                                    target.delta, std::nullopt, true));
  return study;
}

absl::StatusOr<StreamExample> Example() {
  constexpr int64_t kThree = 3;
  const NoiseOf noise = LaplaceNoise(1);
  const auto sum = [&](const Structure& structure, const Shares& shares) {
    return kThree * StructureSpread(structure, shares, noise).mean;
  };
  TOMBOLA_ASSIGN_OR_RETURN(const Structure tree, Structure::Fenwick(kThree));
  TOMBOLA_ASSIGN_OR_RETURN(const Made best, Make(Kind::kBest, Norm::kL1, kThree));
  return StreamExample{.fenwick = sum(tree, EqualShares(tree, Norm::kL1)),
                       .doubled = sum(tree, Shares{.norm = Norm::kL1, .of_node = {0.5, 0.5, 1}}),
                       .fda = sum(tree, stream::SharesOf(tree, Norm::kL1)),
                       .solved = sum(tree, SolveShares(tree, Norm::kL1).shares),
                       .best = sum(best.structure, best.shares)};
}

absl::StatusOr<StreamTurns> Turns(Norm norm) {
  StreamTurns turns;
  for (int64_t periods = kMostScanned; periods >= 1; --periods) {
    TOMBOLA_ASSIGN_OR_RETURN(const Made fda, Make(Kind::kFda, norm, periods));
    // Plain counts have the variances 1, 2, ..., N.
    const double plain = static_cast<double>(periods + 1) / 2;
    if (stream::VariancesOf(fda.structure, fda.shares).mean >= plain) break;
    turns.fda = periods;
  }
  for (int64_t periods = 1; turns.best == 0 && periods <= kMostScanned; ++periods) {
    TOMBOLA_ASSIGN_OR_RETURN(const Made best, Make(Kind::kBest, norm, periods));
    if (best.structure.Depth() > 1) turns.best = periods;
  }
  return turns;
}

}  // namespace

const StreamLine& StreamWorld::Find(absl::string_view name) const {
  const auto found = std::find_if(lines.begin(), lines.end(),
                                  [&](const StreamLine& line) { return line.name == name; });
  TOMBOLA_CHECK(found != lines.end());
  return *found;
}

const StreamWorld& StreamStudy::Find(absl::string_view key) const {
  const auto found = std::find_if(worlds.begin(), worlds.end(),
                                  [&](const StreamWorld& world) { return world.key == key; });
  TOMBOLA_CHECK(found != worlds.end());
  return *found;
}

std::vector<int64_t> StreamPeriods() {
  return {24, 52, 365, 1000, 4095, 16383, 65535, 262143, 1048575, 1048576};
}

absl::StatusOr<StreamStudy> StudyStreams(absl::Span<const int64_t> periods,
                                         const StreamTarget& target) {
  StreamStudy study = {.periods = {periods.begin(), periods.end()}, .target = target};
  TOMBOLA_ASSIGN_OR_RETURN(study.example, Example());
  TOMBOLA_ASSIGN_OR_RETURN(study.laplace, Turns(Norm::kL1));
  TOMBOLA_ASSIGN_OR_RETURN(study.gaussian, Turns(Norm::kL2));
  TOMBOLA_ASSIGN_OR_RETURN(study.unbounded, Unbounded(target));
  TOMBOLA_ASSIGN_OR_RETURN(study.worlds.emplace_back(), Pure(periods, target.epsilon));
  TOMBOLA_ASSIGN_OR_RETURN(study.worlds.emplace_back(), Gaussian(periods, target));
  StreamWorld& correlated = study.worlds.emplace_back(
      StreamWorld{.key = "correlated", .title = "Shuffled, `correlated`"});
  TOMBOLA_RETURN_IF_ERROR(
      AddKinds(periods, Norm::kL1, CorrelatedShares(target.epsilon), correlated));
  for (const NodeNoise noise : {NodeNoise::kPoisson, NodeNoise::kBinomial}) {
    TOMBOLA_ASSIGN_OR_RETURN(study.worlds.emplace_back(), Shuffled(periods, noise, target));
  }
  return study;
}

}  // namespace tombola::lab
