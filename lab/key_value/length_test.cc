#include "lab/key_value/length.h"

#include <algorithm>

#include "cli/simulation/distributions.h"
#include "gtest/gtest.h"
#include "lab/data/synthetic.h"

namespace tombola::lab {
namespace {

using simulation::Generator;

// How many keys a device holds, by number.
std::vector<double> LengthLaw(absl::Span<const KeyLaw> laws) {
  std::vector<double> law = {1};
  for (const KeyLaw& key : laws) {
    law.push_back(0);
    for (size_t n = law.size() - 1; n > 0; --n) {
      law[n] = law[n] * (1 - key.frequency) + law[n - 1] * key.frequency;
    }
    law[0] *= 1 - key.frequency;
  }
  return law;
}

constexpr int kRuns = 200;

// The lengths of so many runs with a pilot of 100,000 devices, in ascending order.
std::vector<int64_t> Runs(absl::Span<const KeyLaw> laws, double epsilon,
                          int64_t (*find)(absl::Span<const int64_t>, double, Generator&)) {
  Generator random(1);
  const std::vector<double> law = LengthLaw(laws);
  std::vector<int64_t> found;
  for (int run = 0; run < kRuns; ++run) {
    const std::vector<int64_t> lengths = simulation::Multinomial(100000, law, random);
    found.push_back(find(lengths, epsilon, random));
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(LengthTest, BothFindTheLengthWithALargeBudget) {
  const std::vector<KeyLaw> gauss = Gauss(), sparse = Sparse();
  for (const auto find : {OetlLength, ThresholdLength}) {
    // Independent runs of a reference: 90 % of them within these, so 100 of 200 runs outside have
    // probability below 1e-30.
    const std::vector<int64_t> dense = Runs(gauss, 3.2, find);
    EXPECT_GE(dense[kRuns / 2], 29);
    EXPECT_LE(dense[kRuns / 2], 31);
    const std::vector<int64_t> few = Runs(sparse, 3.2, find);
    EXPECT_GE(few[kRuns / 2], 6);
    EXPECT_LE(few[kRuns / 2], 7);
  }
}

// In 20,000 runs, SPARSE at 0.4, OETL was above 100 in 7.8 %, threshold responses never above 9 or
// below 3, so with probability below 1e-3. Of 200 runs fewer than two above 100 have probability
// 3e-6, more than five outside of 3 to 9 below 1e-7.
TEST(LengthTest, OetlIsFarOffWithASmallOneAndThresholdsAreNot) {
  const std::vector<KeyLaw> sparse = Sparse();
  const std::vector<int64_t> oetl = Runs(sparse, 0.4, OetlLength);
  EXPECT_GT(oetl[kRuns - 2], 100);
  const std::vector<int64_t> thresholds = Runs(sparse, 0.4, ThresholdLength);
  EXPECT_LE(thresholds[kRuns - 6], 9);
  EXPECT_GE(thresholds[5], 3);
}

TEST(LengthTest, StaysWithinTheKeys) {
  Generator random(2);
  for (const double epsilon : {0.01, 1.0}) {
    for (int run = 0; run < 200; ++run) {
      for (const auto find : {OetlLength, ThresholdLength}) {
        const int64_t length = find(std::vector<int64_t>{50, 0, 0, 50}, epsilon, random);
        EXPECT_GE(length, 1);
        EXPECT_LE(length, 3);
      }
    }
  }
}

}  // namespace
}  // namespace tombola::lab
