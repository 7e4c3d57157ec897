#include "collector/decode/gather_kernel.h"

#include <gtest/gtest.h>

#include <vector>

#include "collector/aggregate/kernel_testing.h"
#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

constexpr size_t kFunctionsTried = 7;  // odd: the last has no partner

struct Filled {
  std::vector<uint32_t> words;
  std::vector<strings::PublicFunction> functions;
  CellRows rows;
};

Filled Fill(int range_bits, int cell_bits_log, SeededRandom& random) {
  Filled filled;
  const size_t words_per_row = (size_t{1} << range_bits) >> (5 - cell_bits_log);
  filled.words.resize(kFunctionsTried * words_per_row);
  for (uint32_t& word : filled.words) word = static_cast<uint32_t>(random.Next64());
  for (size_t j = 0; j < kFunctionsTried; ++j) {
    filled.functions.push_back({.multiplier = random.Next64(), .offset = random.Next64()});
  }
  // All carries, none, and no movement.
  filled.functions[1] = {.multiplier = ~uint64_t{0}, .offset = ~uint64_t{0}};
  filled.functions[2] = {.multiplier = 0xFFFFFFFF, .offset = 0};
  filled.functions[3] = {.multiplier = 0, .offset = uint64_t{1} << 63};
  filled.rows = {.words = filled.words.data(),
                 .words_per_row = words_per_row,
                 .range_bits = range_bits,
                 .cell_bits_log = cell_bits_log};
  return filled;
}

// By the definition, a bit at a time.
uint32_t InCell(const Filled& filled, size_t function, uint64_t key) {
  const uint64_t line =
      filled.functions[function].multiplier * key + filled.functions[function].offset;
  const uint64_t bucket = line >> (64 - filled.rows.range_bits);
  const uint64_t bits = uint64_t{1} << filled.rows.cell_bits_log;
  uint32_t value = 0;
  for (uint64_t i = 0; i < bits; ++i) {
    const uint64_t bit = function * filled.rows.words_per_row * 32 + bucket * bits + i;
    value |= (filled.words[bit / 32] >> (bit % 32) & 1) << i;
  }
  return value;
}

class GatherTest : public KernelTest {};

TEST_P(GatherTest, SumsWhatIsInTheCellsOfConsecutiveKeys) {
  SeededRandom random(1);
  for (const int range_bits : {6, 7, 16, 20}) {
    for (int cell_bits_log = 0; cell_bits_log < 4; ++cell_bits_log) {
      const Filled filled = Fill(range_bits, cell_bits_log, random);
      for (const uint64_t first_key : {random.Next64(), ~uint64_t{0} - 20, uint64_t{0}}) {
        for (const size_t begin : {0, 1, 3, 7}) {
          std::vector<uint32_t> sums(48, 5), expected(48, 5);
          for (size_t j = begin; j < kFunctionsTried; ++j) {
            for (size_t i = 0; i < sums.size(); ++i)
              expected[i] += InCell(filled, j, first_key + i);
          }
          SumConsecutive(filled.rows, filled.functions, begin, kFunctionsTried, first_key,
                         absl::MakeSpan(sums));
          EXPECT_EQ(sums, expected) << range_bits << " " << cell_bits_log << " " << begin;
        }
      }
    }
  }
}

TEST_P(GatherTest, SumsWhatIsInTheCellsOfListedKeys) {
  SeededRandom random(2);
  for (const int range_bits : {6, 13, 24}) {
    for (int cell_bits_log = 0; cell_bits_log < 4; ++cell_bits_log) {
      const Filled filled = Fill(range_bits, cell_bits_log, random);
      const uint64_t first_key = random.Next64();
      std::vector<uint32_t> offsets(32), sums(32, 1), expected(32, 1);
      for (uint32_t& offset : offsets) offset = static_cast<uint32_t>(random.Next64());
      offsets[0] = 0;
      offsets[1] = ~0u;
      for (size_t j = 0; j < kFunctionsTried; ++j) {
        for (size_t i = 0; i < sums.size(); ++i) {
          expected[i] += InCell(filled, j, first_key + offsets[i]);
        }
      }
      SumListed(filled.rows, filled.functions, 0, kFunctionsTried, first_key, offsets,
                absl::MakeSpan(sums));
      EXPECT_EQ(sums, expected) << range_bits << " " << cell_bits_log;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, GatherTest, ::testing::ValuesIn(KnownTargets()), TargetNameOf);

}  // namespace
}  // namespace tombola::collector
