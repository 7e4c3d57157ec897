#include "lab/experiment/study.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/simulation/distributions.h"
#include "cli/simulation/generator.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "lab/experiment/lines.h"
#include "lab/key_value/length.h"
#include "lab/shuffled/own_methods.h"

namespace tombola::lab {
namespace {

using simulation::Generator;
using simulation::SeedSequence;

using FindLength = int64_t (*)(absl::Span<const int64_t>, double, Generator&);

LengthRuns RunLengths(absl::Span<const int64_t> lengths, double epsilon, FindLength find,
                      uint64_t seed) {
  Generator random(SeedSequence(seed).Add("lengths").Add(epsilon).seed());
  std::vector<int64_t> found;
  std::vector<int64_t> pilot(lengths.size());
  for (int run = 0; run < kLengthRuns; ++run) {
    for (size_t length = 0; length < lengths.size(); ++length) {
      pilot[length] = simulation::Binomial(lengths[length], Trial::kPilotShare, random);
    }
    found.push_back(find(pilot, epsilon, random));
  }
  std::sort(found.begin(), found.end());
  const auto ones = std::count(found.begin(), found.end(), 1);
  return {.low = found[kLengthRuns / 20],
          .median = found[kLengthRuns / 2],
          .high = found[kLengthRuns - 1 - kLengthRuns / 20],
          .ones = static_cast<double>(ones) / kLengthRuns};
}

// Lengths that a method may cut records to.
struct LengthShare {
  absl::string_view rule;
  double share;
};
constexpr LengthShare kShares[] = {
    {"50 %", 0.5}, {"90 %", 0.9}, {"99 %", 0.99}, {"99.9 %", 0.999}, {"all", 1.0}};

// Shared noise and padding and sampling, with different lengths.
absl::StatusOr<std::vector<ItemsRow>> StudyItems(const Population& population, bool values,
                                                 absl::Span<const int64_t> lengths,
                                                 const MeasureOptions& options,
                                                 Predictor& predictor) {
  std::vector<ItemsRow> rows;
  std::vector<Line> lines;
  for (const LengthShare& length : kShares) {
    ItemsRow& row = rows.emplace_back();
    row.rule = std::string(length.rule);
    row.items = LengthQuantile(lengths, length.share);
    row.bias = predictor.Bias(row.items);
    const Setting sampled = {.keys = population.keys(),
                             .items = row.items,
                             .epsilon = kItemsEpsilon,
                             .levels = values ? 2 : 1};
    Setting all = sampled;
    all.levels = values ? 3 : 1;
    TOMBOLA_ASSIGN_OR_RETURN(SharedNoise shared, PlanSharedNoise(all, kStudyDelta));
    TOMBOLA_ASSIGN_OR_RETURN(PaddedGrr padded,
                             PlanPaddedGrr(sampled, population.users(), kStudyDelta));
    Line& line = lines.emplace_back(Line{.name = absl::StrCat("items ", length.rule)});
    line.points.push_back({.method = std::make_unique<const SharedNoise>(std::move(shared))});
    line.points.push_back(
        {.method = std::make_unique<const PaddedReports>(std::move(padded.method))});
  }
  MeasureOptions fewer = options;
  fewer.trials = std::max<int64_t>(2, options.trials / 4);
  fewer.trial_done = nullptr;
  const auto errors = Measure(population, lines, fewer);
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].shared = errors[i][0].frequency;
    rows[i].sampled = errors[i][1].frequency;
  }
  return rows;
}

// Of the methods behind a shuffler: truly accounted for, PCKV-GRR's pair budget is the tight one,
// and nobody need publish a mean that is known to be too small.
std::vector<Published> WorthShuffling(std::vector<Published> published) {
  std::erase_if(published, [](const Published& method) {
    return method.name == "pckv_grr_pair" || method.name == "priv_kv";
  });
  return published;
}

// Both ways together, so that they share what devices pick; a line's noise is drawn by its name.
void MeasureBoth(const Population& population, std::vector<Line> local, std::vector<Line> shuffled,
                 const MeasureOptions& options, Study& study) {
  constexpr absl::string_view kPrefix = "shuffled ";
  const size_t border = local.size();
  for (Line& line : shuffled) line.name.insert(0, kPrefix.data());
  std::vector<Line> lines = std::move(local);
  std::move(shuffled.begin(), shuffled.end(), std::back_inserter(lines));
  std::vector<std::vector<Errors>> errors = Measure(population, lines, options);
  for (size_t i = 0; i < lines.size(); ++i) {
    Comparison& way = i < border ? study.local : study.shuffled;
    if (i >= border) lines[i].name.erase(0, kPrefix.size());
    way.lines.push_back(std::move(lines[i]));
    way.errors.push_back(std::move(errors[i]));
  }
}

void AnswerZero(const Population& population, Study& study) {
  const std::vector<KeyTruth> truth = TruthOf(population);
  for (const KeyTruth& key : truth) {
    study.zero_frequency += key.frequency * key.frequency / static_cast<double>(study.keys);
  }
  const std::vector<int64_t> top = MostHeld(truth, kTopMeans);
  for (const int64_t key : top) {
    study.zero_mean += truth[key].mean * truth[key].mean / static_cast<double>(top.size());
  }
}

}  // namespace

std::vector<double> StudyEpsilons() { return {0.1, 0.2, 0.4, 0.8, 1.6, 3.2}; }

size_t Comparison::Find(absl::string_view name) const {
  const auto found =
      std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line.name == name; });
  TOMBOLA_CHECK(found != lines.end());
  return found - lines.begin();
}

absl::StatusOr<Study> RunStudy(const DataSet& data, const MeasureOptions& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const Population population, data.make());
  const std::vector<int64_t> lengths = LengthsOf(population);
  Study study = {.data = data,
                 .users = population.users(),
                 .keys = population.keys(),
                 .pairs = population.pairs(),
                 .items = LengthQuantile(lengths, 0.9),
                 .all_items = LengthQuantile(lengths, 0.999)};
  AnswerZero(population, study);
  const std::vector<double> epsilons = StudyEpsilons();
  const Question question = {study.users, study.keys, data.values};
  const std::vector<Published> published =
      data.values ? PublishedKeyValueMethods() : PublishedSetMethods();
  std::vector<int64_t> candidates;
  for (const LengthShare& length : kShares) {
    candidates.push_back(LengthQuantile(lengths, length.share));
  }
  Predictor predictor(population);
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<Line> local,
                           LocalLines(question, published, study.items, epsilons));
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<Line> shuffled,
                           ShuffledLines(question, WorthShuffling(published), candidates, epsilons,
                                         kStudyDelta, predictor));
  if (data.values) {
    std::vector<Line> hiskv = HiskvLines(question, epsilons);
    // Before the central mechanism.
    local.insert(local.end() - 1, std::move_iterator(hiskv.begin()),
                 std::move_iterator(hiskv.end()));
    for (const double epsilon : epsilons) {
      study.oetl.push_back(RunLengths(lengths, epsilon, OetlLength, options.seed));
      study.threshold.push_back(RunLengths(lengths, epsilon, ThresholdLength, options.seed));
    }
  }
  MeasureBoth(population, std::move(local), std::move(shuffled), options, study);
  TOMBOLA_ASSIGN_OR_RETURN(study.by_items,
                           StudyItems(population, data.values, lengths, options, predictor));
  return study;
}

}  // namespace tombola::lab
