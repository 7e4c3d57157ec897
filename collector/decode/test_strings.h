// Batches of simulated devices that hold strings, for tests.
#ifndef TOMBOLA_COLLECTOR_DECODE_TEST_STRINGS_H_
#define TOMBOLA_COLLECTOR_DECODE_TEST_STRINGS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collector/aggregate/string_counts.h"
#include "collector/decode/estimates.h"
#include "common/strings/alphabet.h"
#include "common/strings/public_functions.h"
#include "common/strings/randomizer.h"
#include "tests/support/seeded_random.h"

namespace tombola::collector {

using Holders = std::vector<std::pair<std::string, int64_t>>;

// Lower-case words, and what is drawn of them. gamma is a quarter.
class TestStrings {
 public:
  TestStrings(int64_t length, int64_t step, int64_t range, bool whole = false)
      : alphabet_(*strings::Alphabet::OfCharacters("abcdefghijklmnopqrstuvwxyz")),
        functions_(TaskId{7}, *strings::Shape::Create({.symbols = alphabet_.symbols(),
                                                       .length = length,
                                                       .step = step,
                                                       .range = range,
                                                       .whole = whole})) {}

  static constexpr uint64_t kBlanket = uint64_t{1} << 62;

  const strings::PublicFunctions& functions() const { return functions_; }
  const strings::Alphabet& alphabet() const { return alphabet_; }
  strings::Symbols Encode(const std::string& text) const {
    return alphabet_.Encode(text, functions_.shape().length());
  }

  // `dummies` uniform cells beside what devices send of their strings.
  StringCounts Draw(const Holders& holders, StringMessages messages, int64_t dummies,
                    SeededRandom& random) const {
    const strings::StringRandomizer randomizer(&functions_, kBlanket);
    StringTally tally(functions_.shape());
    for (const auto& [text, count] : holders) {
      const strings::Symbols symbols = Encode(text);
      for (int64_t i = 0; i < count; ++i) {
        if (messages == StringMessages::kOne) {
          tally.Add(randomizer.OneMessage(symbols, random));
          continue;
        }
        const int64_t levels = functions_.shape().levels();
        const bool all = messages == StringMessages::kEveryLevel;
        const auto only = static_cast<int64_t>(UniformBelow(static_cast<uint64_t>(levels), random));
        for (int64_t level = 0; level < levels; ++level) {
          if (all || level == only) tally.Add(randomizer.TrueCell(level, symbols, random));
        }
      }
    }
    for (int64_t i = 0; i < dummies; ++i) tally.Add(randomizer.UniformCell(random));
    return tally.Take();
  }

  StringBatch Batch(const StringCounts& counts, int64_t devices,
                    StringMessages messages = StringMessages::kOne) const {
    return {.functions = &functions_,
            .counts = &counts,
            .devices = devices,
            .messages = messages,
            .gamma = 0.25};
  }

 private:
  strings::Alphabet alphabet_;
  strings::PublicFunctions functions_;
};

inline int64_t DevicesOf(const Holders& holders) {
  int64_t devices = 0;
  for (const auto& [text, count] : holders) devices += count;
  return devices;
}

// `count` different words that one device each holds, of six letters.
inline Holders RareWords(int count, SeededRandom& random) {
  Holders rare;
  for (int i = 0; i < count; ++i) {
    std::string word;
    for (int letter = 0; letter < 6; ++letter) {
      word += static_cast<char>('a' + UniformBelow(26, random));
    }
    rare.emplace_back(std::move(word), 1);
  }
  return rare;
}

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_DECODE_TEST_STRINGS_H_
