#include "collector/decode/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "collector/decode/capped_cells.h"
#include "collector/decode/level_search.h"
#include "collector/decode/test_strings.h"

namespace tombola::collector {
namespace {

using strings::Symbols;
using ::testing::HasSubstr;

// 20,000 devices: five words that many hold, three that share their first letters, one that is
// empty, and 6,000 that one device each holds.
class DecoderTest : public ::testing::Test {
 protected:
  DecoderTest() {
    SeededRandom random(17);
    holders_ = {{"", 1500},       {"banana", 2500}, {"bandit", 2000}, {"ban", 1500},
                {"zebras", 3000}, {"cherry", 2000}, {"zzzzzzz", 1500}};  // is cut to six letters
    for (auto& rare : RareWords(6000, random)) holders_.push_back(rare);
    counts_ = strings_.Draw(holders_, StringMessages::kOne, 0, random);
  }

  StringBatch Batch() const { return strings_.Batch(counts_, DevicesOf(holders_)); }

  std::set<std::string> Texts(const DecodedStrings& decoded) const {
    std::set<std::string> texts;
    for (const FoundString& found : decoded.strings) {
      EXPECT_TRUE(texts.insert(strings_.alphabet().Decode(found.symbols)).second);
    }
    return texts;
  }

  // Each estimate is within 4.5 of its standard errors, 7e-6 for each, and at most a tenth off.
  void ExpectEstimates(const DecodedStrings& decoded) const {
    for (const FoundString& found : decoded.strings) {
      for (const auto& [text, count] : holders_) {
        if (strings_.Encode(text) != found.symbols) continue;
        EXPECT_NEAR(found.holders, static_cast<double>(count), 4.5 * found.stderr_of) << text;
        EXPECT_LT(found.stderr_of, 0.1 * static_cast<double>(count)) << text;
        break;
      }
    }
  }

  static constexpr int64_t kOfOne = 256 * 28 * 28;  // tests, for the extensions of one prefix
  const std::set<std::string> kMany = {"", "ban", "banana", "bandit", "cherry", "zebras", "zzzzzz"};
  const TestStrings strings_{6, 2, 4096};
  Holders holders_;
  StringCounts counts_{strings_.functions().shape()};
};

TEST_F(DecoderTest, FindsWhatManyHoldAndNothingElse) {
  const auto decoded = DecodeStrings(Batch(), {});
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(Texts(*decoded), kMany);
  ExpectEstimates(*decoded);
  EXPECT_TRUE(decoded->complete);
  ASSERT_EQ(decoded->levels.size(), 3u);
  EXPECT_EQ(decoded->levels[0].candidates, 27 * 27 + 27 + 1);
  EXPECT_EQ(decoded->strings.front().symbols, strings_.Encode("zebras"));
  EXPECT_TRUE(std::is_sorted(
      decoded->strings.begin(), decoded->strings.end(),
      [](const FoundString& a, const FoundString& b) { return a.holders > b.holders; }));
}

TEST_F(DecoderTest, TestsEveryExtensionOfEverySurvivor) {
  const auto decoded = DecodeStrings(Batch(), {});
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  // "" ends at the first level, where prefixes of rare words stand out too; at the second bana,
  // band, zebr, cher and zzzz go on, and "ban" does not.
  EXPECT_GE(decoded->levels[0].survivors, 5);
  EXPECT_EQ(decoded->levels[1].survivors, 6);
  EXPECT_EQ(decoded->tests, kOfOne * (1 + (decoded->levels[0].survivors - 1) + 5));
}

TEST_F(DecoderTest, IsTheSameOnAnyNumberOfThreads) {
  const auto one = DecodeStrings(Batch(), {.threads = 1});
  const auto four = DecodeStrings(Batch(), {.threads = 4});
  ASSERT_TRUE(one.ok() && four.ok());
  ASSERT_EQ(one->strings.size(), four->strings.size());
  for (size_t i = 0; i < one->strings.size(); ++i) {
    EXPECT_EQ(one->strings[i].symbols, four->strings[i].symbols);
    EXPECT_EQ(one->strings[i].holders, four->strings[i].holders);
  }
}

TEST_F(DecoderTest, SaysWhenTheBoundOnSurvivorsBites) {
  const auto decoded = DecodeStrings(Batch(), {.most_survivors = 2});
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_FALSE(decoded->complete);
  // The prefixes that most hold are ba and ze, or "" if it is lucky.
  EXPECT_LT(decoded->strings.size(), kMany.size());
  EXPECT_GE(decoded->strings.size(), 1u);
}

TEST_F(DecoderTest, SaysWhenTheBoundOnTestsBites) {
  const auto decoded = DecodeStrings(Batch(), {.most_tests = 3 * kOfOne});
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_FALSE(decoded->complete);
  EXPECT_EQ(decoded->tests, 3 * kOfOne);
  EXPECT_EQ(decoded->levels.size(), 2u);
  // What ended before is there still.
  EXPECT_TRUE(Texts(*decoded).contains(""));
  const auto none = DecodeStrings(Batch(), {.most_tests = 1});
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->complete);
  EXPECT_TRUE(none->strings.empty());
}

TEST_F(DecoderTest, LeavesOutStringsOfTooFew) {
  const auto decoded = DecodeStrings(Batch(), {.least_holders = 1750});
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(Texts(*decoded), (std::set<std::string>{"banana", "bandit", "cherry", "zebras"}));
}

TEST_F(DecoderTest, TellsHowFarItIsAndEndsWhenTold) {
  std::atomic<int64_t> told = 0;
  std::atomic<int64_t> last_level = 0;
  const auto decoded = DecodeStrings(Batch(), {.threads = 2, .progress = [&](const auto& progress) {
                                                 ++told;
                                                 last_level = progress.level;
                                                 EXPECT_LE(progress.tests, progress.all);
                                                 return true;
                                               }});
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(told, decoded->tests / kOfOne);
  EXPECT_EQ(last_level, 2);
  int64_t asked = 0;
  const auto cancelled = DecodeStrings(Batch(), {.progress = [&](const DecodeProgress& progress) {
                                         ++asked;
                                         return progress.level == 0;
                                       }});
  EXPECT_EQ(cancelled.status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(asked, 2);
}

TEST_F(DecoderTest, ADictionaryNeedsNoPrefixes) {
  std::vector<Symbols> dictionary;
  for (const char* text : {"banana", "ban", "zebras", "cherry", "absent", "band", "", "banana"}) {
    dictionary.push_back(strings_.Encode(text));
  }
  const auto decoded = DecodeDictionary(Batch(), dictionary, {.threads = 2});
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(Texts(*decoded), (std::set<std::string>{"", "ban", "banana", "cherry", "zebras"}));
  ExpectEstimates(*decoded);
  EXPECT_EQ(decoded->tests, 256 * 3 * 7);
  EXPECT_EQ(decoded->levels.front().candidates, 7);
  // Fewer candidates, so less has to speak for one.
  const auto undictated = DecodeStrings(Batch(), {});
  EXPECT_LT(decoded->levels[2].threshold, undictated->levels[2].threshold);
  EXPECT_TRUE(decoded->complete);
  const auto cut = DecodeDictionary(Batch(), dictionary, {.most_tests = 256 * 3 * 2});
  ASSERT_TRUE(cut.ok());
  EXPECT_FALSE(cut->complete);
  const auto cancelled = DecodeDictionary(
      Batch(), dictionary, {.progress = [](const DecodeProgress&) { return false; }});
  EXPECT_EQ(cancelled.status().code(), absl::StatusCode::kCancelled);
}

TEST_F(DecoderTest, RefusesWhatIsNoDictionary) {
  const auto refused = [&](Symbols symbols, const char* message) {
    const std::vector<Symbols> dictionary = {std::move(symbols)};
    const auto decoded = DecodeDictionary(Batch(), dictionary, {});
    ASSERT_EQ(decoded.status().code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(decoded.status().message(), HasSubstr(message));
  };
  refused({1, 2, 3, 4, 5}, "must have 6 symbols, has 5");
  refused({1, 2, 3, 4, 5, 28}, "must be below 28, is 28");
  refused({1, 0, 3, 4, 5, 6}, "nothing but the end after its end");
}

TEST_F(DecoderTest, RefusesOptionsThatAreOutOfBounds) {
  const auto refused = [&](const DecodeOptions& options, const char* message) {
    const auto decoded = DecodeStrings(Batch(), options);
    ASSERT_EQ(decoded.status().code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(decoded.status().message(), HasSubstr(message));
    EXPECT_EQ(DecodeDictionary(Batch(), {}, options).status(), decoded.status());
  };
  refused({.alpha = 0}, "alpha must be in (0, 1), is 0");
  refused({.alpha = 1}, "alpha must be in (0, 1), is 1");
  refused({.most_survivors = 0}, "most_survivors must be at least 1, is 0");
  refused({.most_tests = 0}, "most_tests must be at least 1, is 0");
  refused({.least_holders = -1}, "least_holders must be at least 0, is -1");
  refused({.threads = 0}, "threads must be at least 1, is 0");
}

TEST_F(DecoderTest, FindsTheSameAmongDummiesAndOnEveryLevel) {
  SeededRandom random(23);
  for (const StringMessages messages : {StringMessages::kDummies, StringMessages::kEveryLevel}) {
    const StringCounts counts = strings_.Draw(holders_, messages, 60000, random);
    const auto decoded =
        DecodeStrings(strings_.Batch(counts, DevicesOf(holders_), messages), {.threads = 2});
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(Texts(*decoded), kMany);
    ExpectEstimates(*decoded);
  }
}

// Every candidate by the definition. Those with fewer than DropBelow under the first functions may
// be missing, all others may not.
TEST_F(DecoderTest, ALevelIsSearchedByTheDefinition) {
  const auto& functions = strings_.functions();
  for (const int64_t cap : {1, 3}) {
    for (const int64_t threshold : {20, 30}) {
      const CappedCells cells(counts_, 1, cap);
      const CellRows rows = cells.rows();
      const std::vector<FoundPrefix> parents = {{Symbols{2, 1}, 0}, {Symbols{5, 9}, 0}};
      const auto found = SearchLevel({.functions = &functions,
                                      .cells = &cells,
                                      .level = 1,
                                      .threshold = threshold,
                                      .parents = parents,
                                      .advance = [](int64_t) { return true; }});
      ASSERT_TRUE(found.ok());
      EXPECT_TRUE(std::is_sorted(found->begin(), found->end(), ComesBefore));
      std::set<Symbols> surely, perhaps;
      for (const FoundPrefix& parent : parents) {
        for (int a = 0; a < 28; ++a) {
          for (int b = 0; b < 28; ++b) {
            if (a == 0 && b != 0) continue;
            Symbols symbols = parent.symbols;
            symbols.push_back(static_cast<uint8_t>(a));
            symbols.push_back(static_cast<uint8_t>(b));
            int64_t sum = 0, first = 0;
            for (size_t j = 0; j < 256; ++j) {
              const uint64_t bit =
                  uint64_t{functions.Bucket(static_cast<int64_t>(j), functions.Key(1, symbols))}
                  << rows.cell_bits_log;
              sum += rows.Row(j)[bit / 32] >> bit % 32 & (cap == 1 ? 1 : 3);
              if (j == 95) first = sum;
            }
            if (sum < threshold) continue;
            perhaps.insert(symbols);
            if (first >= DropBelow(threshold, cap)) surely.insert(symbols);
          }
        }
      }
      EXPECT_GE(surely.size(), 3u);
      for (const FoundPrefix& prefix : *found) {
        EXPECT_TRUE(perhaps.contains(prefix.symbols));
        surely.erase(prefix.symbols);
      }
      EXPECT_TRUE(surely.empty()) << cap << " " << threshold;
    }
  }
}

// All reports are of whole strings, so fewer holders are enough.
TEST(DecoderWholeTest, OfWholeStringsADictionaryIsLookedUp) {
  const TestStrings strings(12, 2, 4096, /*whole=*/true);
  SeededRandom random(31);
  Holders holders = {{"tombola", 60}, {"tombolas", 90}, {"t", 70}};
  for (auto& rare : RareWords(5000, random)) holders.push_back(rare);
  const StringCounts counts = strings.Draw(holders, StringMessages::kOne, 0, random);
  const StringBatch batch = strings.Batch(counts, DevicesOf(holders));
  EXPECT_EQ(DecodeStrings(batch, {}).status().code(), absl::StatusCode::kFailedPrecondition);
  std::vector<Symbols> dictionary;
  for (const char* text : {"tombola", "tombolas", "t", "to", "tombolass"}) {
    dictionary.push_back(strings.Encode(text));
  }
  const auto decoded = DecodeDictionary(batch, dictionary, {});
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  ASSERT_EQ(decoded->strings.size(), 3u);
  EXPECT_EQ(decoded->tests, 256 * 5);
  for (const FoundString& found : decoded->strings) {
    for (const auto& [text, count] : holders) {
      if (strings.Encode(text) != found.symbols) continue;
      EXPECT_NEAR(found.holders, static_cast<double>(count), 4.5 * found.stderr_of) << text;
    }
  }
}

// Batches in which nobody's word is held twice: in 60 of them at most 10 false strings. They are at
// most binomial with alpha = 0.05 a batch, 3 expected; more than 10 has probability 2e-4.
TEST(DecoderChanceTest, FindsFewStringsThatNobodyHolds) {
  const TestStrings strings(4, 2, 1024);
  SeededRandom random(29);
  int64_t found = 0;
  for (int run = 0; run < 60; ++run) {
    Holders rare = RareWords(3000, random);
    for (auto& [word, count] : rare) word.resize(4);
    const StringCounts counts = strings.Draw(rare, StringMessages::kOne, 0, random);
    const auto decoded = DecodeStrings(strings.Batch(counts, DevicesOf(rare)), {});
    ASSERT_TRUE(decoded.ok());
    for (const FoundString& string : decoded->strings) {
      found += std::none_of(rare.begin(), rare.end(), [&](const auto& held) {
        return strings.Encode(held.first) == string.symbols;
      });
    }
  }
  EXPECT_LE(found, 10);
}

TEST(DecoderChanceTest, NoReportsAreNoStrings) {
  const TestStrings strings(4, 2, 1024);
  const StringCounts counts(strings.functions().shape());
  // Nobody sends nothing: devices are at least one.
  EXPECT_FALSE(DecodeStrings(strings.Batch(counts, 0), {}).ok());
}

}  // namespace
}  // namespace tombola::collector
