#include "cli/simulation/string_experiment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/time/clock.h"
#include "absl/types/span.h"
#include "cli/simulation/distributions.h"
#include "collector/aggregate/string_counts.h"
#include "collector/decode/decoder.h"
#include "common/base/status_macros.h"
#include "common/plan/string_threshold.h"
#include "common/strings/public_functions.h"
#include "common/strings/randomizer.h"

namespace tombola::simulation {
namespace {

using mechanism::StringPlan;
using strings::StringMessages;
using strings::Symbols;

double MedianOf(std::vector<double> numbers) {
  if (numbers.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = numbers.begin() + static_cast<ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

// What a level's statistic is by chance, and what holders add to it.
struct LevelLaw {
  double by_chance = 0;
  double of_holder = 0;
  bool surely = false;

  static LevelLaw Of(const StringPlan& plan, double devices) {
    const double cells = static_cast<double>(plan.levels * plan.shape.range);
    return {.by_chance = devices * plan.expected_messages / cells,
            .of_holder = 1 / plan.of_liar,
            .surely = plan.messages == StringMessages::kEveryLevel};
  }

  // The probability that a prefix of so many holders reaches a statistic.
  double Reaches(double holders, int64_t statistic) const {
    const double added = holders * of_holder;
    if (!surely) return mechanism::PoissonTail(by_chance + added, statistic);
    const auto lacking = statistic - static_cast<int64_t>(added);
    return lacking <= 0 ? 1 : mechanism::PoissonTail(by_chance, lacking);
  }
};

// The level at which a string is complete.
int64_t CompleteAt(const Symbols& symbols, const strings::Shape& shape) {
  if (shape.whole()) return 0;
  const auto end = std::find(symbols.begin(), symbols.end(), strings::Alphabet::kEnd);
  return std::min<int64_t>(end - symbols.begin(), shape.length() - 1) / shape.step();
}

void Send(absl::Span<const uint8_t> symbols, const strings::StringRandomizer& randomizer,
          StringMessages messages, int64_t levels, collector::StringTally& tally,
          Generator& random) {
  if (messages == StringMessages::kOne) {
    tally.Add(randomizer.OneMessage(symbols, random));
    return;
  }
  if (messages == StringMessages::kDummies) {
    const uint64_t level = UniformBelow(static_cast<uint64_t>(levels), random);
    tally.Add(randomizer.TrueCell(static_cast<int64_t>(level), symbols, random));
    return;
  }
  for (int64_t level = 0; level < levels; ++level) {
    tally.Add(randomizer.TrueCell(level, symbols, random));
  }
}

// All that are held, and as many that are not, in no order.
std::vector<Symbols> DictionaryOf(const StringData& data, const strings::Shape& shape,
                                  Generator& random) {
  absl::flat_hash_set<Symbols> all;
  for (const HeldString& held : data.strings) all.insert(held.symbols);
  const size_t tries = 2 * data.strings.size();
  const auto characters = static_cast<uint64_t>(shape.symbols() - 2);
  for (size_t i = 0; i < tries && all.size() < 2 * data.strings.size(); ++i) {
    Symbols symbols(static_cast<size_t>(shape.length()));
    for (uint8_t& symbol : symbols) {
      symbol = static_cast<uint8_t>(1 + UniformBelow(characters, random));
    }
    all.insert(std::move(symbols));
  }
  return {all.begin(), all.end()};
}

}  // namespace

StringScore ScoreOf(const StringData& truth, const std::vector<FoundString>& found) {
  absl::flat_hash_map<std::string, double> said;
  for (const FoundString& one : found) said[one.text] = one.devices;
  StringScore score{.found = static_cast<double>(found.size()),
                    .held_by_nobody = static_cast<double>(found.size())};
  for (const HeldString& held : truth.strings) {
    if (said.contains(held.text)) --score.held_by_nobody;
  }
  for (size_t i = 0; i < kStringTops.size(); ++i) {
    const auto top = static_cast<size_t>(kStringTops[i]);
    const size_t shown = std::min(top, found.size());
    absl::flat_hash_set<std::string> first;
    for (size_t at = 0; at < shown; ++at) first.insert(found[at].text);
    std::vector<double> errors;
    double hits = 0;
    for (size_t at = 0; at < std::min(top, truth.strings.size()); ++at) {
      const HeldString& held = truth.strings[at];
      hits += first.contains(held.text) ? 1 : 0;
      const auto of = said.find(held.text);
      if (of == said.end()) continue;
      errors.push_back(std::abs(of->second / static_cast<double>(held.devices) - 1));
    }
    score.f1[i] = 2 * hits / static_cast<double>(shown + top);
    score.error[i] = MedianOf(std::move(errors));
  }
  return score;
}

StringScore MeanOf(const std::vector<StringScore>& scores) {
  StringScore mean;
  const double runs = std::max(1.0, static_cast<double>(scores.size()));
  std::array<double, kStringTops.size()> with_error{};
  for (const StringScore& score : scores) {
    mean.found += score.found / runs;
    mean.held_by_nobody += score.held_by_nobody / runs;
    for (size_t i = 0; i < kStringTops.size(); ++i) {
      mean.f1[i] += score.f1[i] / runs;
      if (std::isnan(score.error[i])) continue;
      mean.error[i] += score.error[i];
      ++with_error[i];
    }
  }
  for (size_t i = 0; i < kStringTops.size(); ++i) mean.error[i] /= with_error[i];
  return mean;
}

double PredictedFound(const StringData& data, const StringPlan& plan, double alpha) {
  const absl::StatusOr<strings::Shape> shape = strings::Shape::Create(plan.shape);
  const LevelLaw law = LevelLaw::Of(plan, static_cast<double>(data.devices));
  const double level_alpha = alpha / static_cast<double>(plan.levels);
  double found = 0;
  // That a string's prefix has stood out on all levels so far.
  std::vector<double> alive(data.strings.size(), 1);
  double candidates =
      shape->whole() ? plan.candidates : static_cast<double>(shape->valid_children());
  for (int64_t level = 0; level < plan.levels; ++level) {
    absl::flat_hash_map<Symbols, double> holders;
    const auto prefix = [&](const HeldString& held) {
      return Symbols(held.symbols.begin(), held.symbols.begin() + shape->Through(level));
    };
    for (const HeldString& held : data.strings) {
      holders[prefix(held)] += static_cast<double>(held.devices);
    }
    const int64_t statistic = std::max<int64_t>(
        1, mechanism::ChanceThreshold(law.by_chance, std::max(1.0, candidates), level_alpha));
    absl::flat_hash_map<Symbols, double> survivors;  // that are extended
    for (size_t i = 0; i < data.strings.size(); ++i) {
      const HeldString& held = data.strings[i];
      const int64_t complete = CompleteAt(held.symbols, *shape);
      if (complete < level) continue;
      Symbols at = prefix(held);
      alive[i] *= law.Reaches(holders[at], statistic);
      if (complete == level) {
        found += alive[i];
      } else {
        survivors[std::move(at)] = alive[i];
      }
    }
    double extended = 0;
    for (const auto& [at, probability] : survivors) extended += probability;
    candidates = extended * static_cast<double>(shape->valid_children());
  }
  return found;
}

double PredictedError(const StringData& data, const StringPlan& plan, int64_t top) {
  constexpr double kMedianOfNormal = 0.6745;
  const absl::StatusOr<strings::Shape> shape = strings::Shape::Create(plan.shape);
  const bool every = plan.messages == StringMessages::kEveryLevel;
  const double devices = static_cast<double>(data.devices);
  const double messages = devices * plan.expected_messages;
  const collector::ReportModel model{
      .devices = devices,
      .range = static_cast<double>(plan.shape.range),
      .own = (every ? static_cast<double>(plan.levels) : 1.0) / plan.expected_messages,
      .gamma = plan.gamma,
      .every_level = every};
  std::vector<double> errors;
  for (size_t i = 0; i < std::min(static_cast<size_t>(top), data.strings.size()); ++i) {
    const HeldString& held = data.strings[i];
    const int64_t levels = plan.levels - CompleteAt(held.symbols, *shape);
    const double reports =
        messages * static_cast<double>(levels) / static_cast<double>(plan.levels);
    const auto holders = static_cast<double>(held.devices);
    errors.push_back(kMedianOfNormal * model.Deviation(reports, holders, 0, levels) / holders);
  }
  return MedianOf(std::move(errors));
}

absl::StatusOr<FoundStrings> SendAndFind(const StringData& data, const strings::Alphabet& alphabet,
                                         const StringPlan& plan, double alpha, int threads,
                                         Generator& random) {
  TOMBOLA_ASSIGN_OR_RETURN(const strings::Shape shape, strings::Shape::Create(plan.shape));
  TaskId task;
  random.Fill(absl::MakeSpan(task));
  const strings::PublicFunctions functions(task, shape);
  const strings::StringRandomizer randomizer(&functions, plan.blanket_threshold);
  collector::StringTally tally(shape);
  for (const HeldString& held : data.strings) {
    for (int64_t i = 0; i < held.devices; ++i) {
      Send(held.symbols, randomizer, plan.messages, shape.levels(), tally, random);
    }
  }
  if (plan.dummies.has_value()) {
    // All devices' dummies together are a Poisson number, but for their caps.
    const double own =
        plan.messages == StringMessages::kEveryLevel ? static_cast<double>(shape.levels()) : 1.0;
    const int64_t dummies =
        Poisson((plan.expected_messages - own) * static_cast<double>(data.devices), random);
    for (int64_t i = 0; i < dummies; ++i) tally.Add(randomizer.UniformCell(random));
  }
  const collector::StringCounts counts = tally.Take();
  const collector::StringBatch batch{.functions = &functions,
                                     .counts = &counts,
                                     .devices = data.devices,
                                     .messages = plan.messages,
                                     .gamma = plan.gamma};
  const collector::DecodeOptions options{.alpha = alpha, .threads = threads};
  std::vector<Symbols> dictionary;
  if (shape.whole()) dictionary = DictionaryOf(data, shape, random);
  const absl::Time begun = absl::Now();
  TOMBOLA_ASSIGN_OR_RETURN(const collector::DecodedStrings decoded,
                           shape.whole() ? collector::DecodeDictionary(batch, dictionary, options)
                                         : collector::DecodeStrings(batch, options));
  FoundStrings found{
      .tests = decoded.tests, .complete = decoded.complete, .decoding = absl::Now() - begun};
  for (const collector::FoundString& one : decoded.strings) {
    found.strings.push_back({alphabet.Decode(one.symbols), one.holders});
  }
  return found;
}

}  // namespace tombola::simulation
