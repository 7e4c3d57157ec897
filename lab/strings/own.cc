#include "lab/strings/own.h"

#include "absl/types/span.h"
#include "cli/simulation/distributions.h"
#include "collector/aggregate/string_counts.h"
#include "collector/decode/decoder.h"
#include "common/base/status_macros.h"
#include "common/strings/public_functions.h"
#include "common/strings/randomizer.h"

namespace tombola::lab {
namespace {

using strings::StringMessages;

void Send(absl::Span<const uint8_t> symbols, const strings::StringRandomizer& randomizer,
          StringMessages messages, int64_t levels, collector::StringTally* tally,
          simulation::Generator& random) {
  switch (messages) {
    case StringMessages::kOne:
      tally->Add(randomizer.OneMessage(symbols, random));
      return;
    case StringMessages::kDummies: {
      const uint64_t level = UniformBelow(static_cast<uint64_t>(levels), random);
      tally->Add(randomizer.TrueCell(static_cast<int64_t>(level), symbols, random));
      return;
    }
    case StringMessages::kEveryLevel:
      for (int64_t level = 0; level < levels; ++level) {
        tally->Add(randomizer.TrueCell(level, symbols, random));
      }
      return;
  }
}

}  // namespace

absl::StatusOr<OwnOutcome> FindOwn(const StringPopulation& population,
                                   const strings::Alphabet& alphabet,
                                   const mechanism::StringPlan& plan, int threads,
                                   simulation::Generator& random) {
  TOMBOLA_ASSIGN_OR_RETURN(const strings::Shape shape, strings::Shape::Create(plan.shape));
  TaskId task;
  random.Fill(absl::MakeSpan(task));
  const strings::PublicFunctions functions(task, shape);
  const strings::StringRandomizer randomizer(&functions, plan.blanket_threshold);
  collector::StringTally tally(shape);
  for (const HeldString& held : population.strings) {
    const strings::Symbols symbols = alphabet.Encode(held.text, shape.length());
    for (int64_t i = 0; i < held.devices; ++i) {
      Send(symbols, randomizer, plan.messages, shape.levels(), &tally, random);
    }
  }
  if (plan.messages != StringMessages::kOne) {
    // The devices' dummies together are a Poisson number, but for their caps.
    const double sent =
        plan.messages == StringMessages::kEveryLevel ? static_cast<double>(shape.levels()) : 1.0;
    const double mean = (plan.expected_messages - sent) * static_cast<double>(population.devices);
    const int64_t dummies = simulation::Poisson(mean, random);
    for (int64_t i = 0; i < dummies; ++i) tally.Add(randomizer.UniformCell(random));
  }
  const collector::StringCounts counts = tally.Take();
  TOMBOLA_ASSIGN_OR_RETURN(const collector::DecodedStrings decoded,
                           collector::DecodeStrings({.functions = &functions,
                                                     .counts = &counts,
                                                     .devices = population.devices,
                                                     .messages = plan.messages,
                                                     .gamma = plan.gamma},
                                                    {.threads = threads}));
  OwnOutcome outcome{.tests = decoded.tests, .complete = decoded.complete};
  for (const collector::FoundString& found : decoded.strings) {
    outcome.found.push_back({alphabet.Decode(found.symbols), found.holders});
  }
  return outcome;
}

}  // namespace tombola::lab
