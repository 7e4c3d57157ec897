// Sets and key-value pairs from devices' records to answers, in one process: what devices hold is
// placed, encoded, counted and answered about by every mechanism that can.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "client/encode/submission.h"
#include "client/place/placer.h"
#include "collector/aggregate/tables_aggregator.h"
#include "collector/answer/registry.h"
#include "collector/catalog/task_maker.h"
#include "common/kind/kind.h"
#include "common/scheme/scheme.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola {
namespace {

using collector::Answerers;
using collector::Counts;
using collector::Postprocess;
using collector::TablesAggregator;

constexpr int64_t kDevices = 2000;
constexpr int kKeys = 6;

struct Case {
  std::string name;
  v1::Kind kind;
  std::string mechanism;
  uint32_t max_items;
  uint32_t sent;
};

std::shared_ptr<const Task> MakeTask(const Case& c) {
  v1::CreateTaskRequest request;
  request.set_name(c.name);
  request.set_kind(c.kind);
  request.set_domain_size(kKeys);
  request.set_epsilon(2);
  request.set_delta(1e-5);
  request.set_users(kDevices);
  request.set_smallest_batch(kDevices);
  request.set_mechanism(c.mechanism);
  request.mutable_items()->set_max_items(c.max_items);
  request.mutable_items()->set_sent(c.sent);
  request.set_shuffler_key(std::string(32, 'k'));
  if (c.kind == v1::KIND_KEY_VALUE) {
    request.mutable_levels()->set_low(0);
    request.mutable_levels()->set_high(10);
    request.mutable_levels()->set_count(3);
  }
  SeededRandom random(3);
  const auto task =
      collector::MakeTask(request, std::array<uint8_t, 32>{1}, TestTaskStart(), random);
  EXPECT_TRUE(task.ok()) << task.status();
  return *task;
}

// Device i holds key k if i % (k + 2) is 0, with a number that depends on both.
bool Holds(int64_t i, int k) { return i % (k + 2) == 0; }
double NumberOf(int64_t i, int k) { return static_cast<double>((3 * i + k) % 101) / 10.1; }

struct Population {
  std::vector<std::vector<std::string>> sets;
  std::vector<std::vector<KeyValue>> pairs;
  std::vector<double> share = std::vector<double>(kKeys);
  std::vector<double> mean = std::vector<double>(kKeys);
};

// Of devices that hold more than `most` keys the rest is left out here, so that estimates are
// unbiased.
Population MakePopulation(uint32_t most) {
  Population all;
  std::vector<double> holders(kKeys);
  for (int64_t i = 0; i < kDevices; ++i) {
    all.sets.emplace_back();
    all.pairs.emplace_back();
    for (int k = kKeys - 1; k >= 0; --k) {
      if (!Holds(i, k) || all.sets.back().size() == most) continue;
      all.sets.back().push_back(std::to_string(k));
      all.pairs.back().push_back({std::to_string(k), NumberOf(i, k)});
      holders[static_cast<size_t>(k)] += 1;
      all.mean[static_cast<size_t>(k)] += NumberOf(i, k);
    }
  }
  for (size_t k = 0; k < kKeys; ++k) {
    all.mean[k] /= holders[k];
    all.share[k] = holders[k] / kDevices;
  }
  return all;
}

class ItemsWalkTest : public ::testing::TestWithParam<Case> {
 protected:
  ItemsWalkTest()
      : task_(MakeTask(GetParam())),
        placer_(client::Placers::BuiltIn().Make(task_)),
        encoder_(task_->kind().tables()),
        population_(MakePopulation(GetParam().max_items)) {}

  v1::Answer Once(RandomSource& random) {
    TablesAggregator aggregator(task_->kind().tables());
    std::string reports;
    const bool pairs = GetParam().kind == v1::KIND_KEY_VALUE;
    for (size_t i = 0; i < kDevices; ++i) {
      const auto cells = pairs ? placer_->Place(absl::MakeConstSpan(population_.pairs[i]), random)
                               : placer_->Place(absl::MakeConstSpan(population_.sets[i]), random);
      EXPECT_TRUE(cells.ok()) << cells.status();
      const int64_t said = encoder_.Encode(*cells, random, &reports);
      EXPECT_LE(said, task_->scheme()->max_reports_per_submission());
      EXPECT_GE(said, task_->scheme()->own_reports_per_submission());
    }
    aggregator.AddAll({reinterpret_cast<const uint8_t*>(reports.data()), reports.size()});
    const Counts counts = std::move(aggregator).Finish();
    v1::GetAnswerRequest request;
    request.set_confidence(1 - 1e-8);
    if (pairs) {
      request.mutable_key_value();
    } else {
      request.mutable_set();
    }
    v1::Answer answer;
    const auto answerer = Answerers::All().For(task_->kind().name(), request);
    EXPECT_TRUE(answerer.ok()) << answerer.status();
    const absl::Status status =
        (*answerer)->Fill({.task = *task_, .counts = counts, .tally = {.submissions = kDevices}},
                          request, Postprocess::kNone, &answer);
    EXPECT_TRUE(status.ok()) << status;
    return answer;
  }

  std::shared_ptr<const Task> task_;
  std::unique_ptr<client::Placer> placer_;
  client::SubmissionEncoder encoder_;
  Population population_;
};

template <typename Body>
void ExpectWithin(const Body& body, const Population& population) {
  ASSERT_EQ(body.values_size(), kKeys);
  for (int k = 0; k < kKeys; ++k) {
    EXPECT_LE(body.low(k), population.share[static_cast<size_t>(k)]) << k;
    EXPECT_GE(body.high(k), population.share[static_cast<size_t>(k)]) << k;
  }
}

// Six frequencies, their sizes and six means in intervals that each miss with probability 1e-8 or
// so.
TEST_P(ItemsWalkTest, TheTruthIsWithinTheIntervals) {
  SeededRandom random(4);
  const v1::Answer answer = Once(random);
  const v1::Sizes& sizes = answer.has_set() ? answer.set().sizes() : answer.key_value().sizes();
  std::vector<double> truth(GetParam().max_items + 1);
  for (const auto& set : population_.sets) truth[set.size()] += 1.0 / kDevices;
  ASSERT_EQ(sizes.shares_size(), static_cast<int>(truth.size()));
  EXPECT_LE(sizes.full_low(), truth.back());
  EXPECT_GE(sizes.full_high(), truth.back());
  if (answer.has_set()) return ExpectWithin(answer.set(), population_);
  const v1::KeyValues& body = answer.key_value();
  ExpectWithin(body, population_);
  for (int k = 0; k < kKeys; ++k) {
    if (std::isnan(body.means(k))) continue;
    EXPECT_LE(body.mean_low(k), population_.mean[static_cast<size_t>(k)]) << k;
    EXPECT_GE(body.mean_high(k), population_.mean[static_cast<size_t>(k)]) << k;
  }
}

// The mean of T = 60 estimates is within six of its standard deviations of the truth, each of
// twelve numbers missing it with probability 2e-9; their sample variance over the predicted one has
// standard deviation sqrt(2 / T) = 0.18 if they are normal, and is within 6 of that. Means are
// linearised and their rounding is taken at its largest, so that the variance of a mean is only
// bounded above.
TEST_P(ItemsWalkTest, EstimatesAreUnbiasedAndTheirErrorsAreTheOnesStated) {
  constexpr int kTrials = 60;
  const double tolerance = 6 * std::sqrt(2.0 / kTrials);
  SeededRandom random(5);
  double sum = 0, squares = 0, stated = 0, mean_sum = 0, mean_squares = 0, mean_stated = 0;
  bool means = GetParam().kind == v1::KIND_KEY_VALUE;
  for (int t = 0; t < kTrials; ++t) {
    const v1::Answer answer = Once(random);
    const double raw = answer.has_set() ? answer.set().raw(0) : answer.key_value().raw(0);
    const double error =
        answer.has_set() ? answer.set().standard_errors(0) : answer.key_value().standard_errors(0);
    sum += raw - population_.share[0];
    squares += std::pow(raw - population_.share[0], 2);
    stated += error * error;
    if (!means) continue;
    const double mean = answer.key_value().means(0);
    means = means && !std::isnan(mean);
    mean_sum += mean - population_.mean[0];
    mean_squares += std::pow(mean - population_.mean[0], 2);
    mean_stated += std::pow(answer.key_value().mean_standard_errors(0), 2);
  }
  EXPECT_LE(std::abs(sum), 6 * std::sqrt(stated));
  EXPECT_NEAR(squares / stated, 1, tolerance);
  if (!means) return;
  EXPECT_LE(std::abs(mean_sum), 6 * std::sqrt(mean_stated));
  EXPECT_LE(mean_squares / mean_stated, 1 + tolerance);
}

INSTANTIATE_TEST_SUITE_P(
    EveryMechanism, ItemsWalkTest,
    ::testing::Values(Case{"SetPureDump", v1::KIND_SET, "pure_dump", 4, 4},
                      Case{"SetPureDumpSome", v1::KIND_SET, "pure_dump", 4, 2},
                      Case{"SetAue", v1::KIND_SET, "aue", 3, 3},
                      Case{"SetCorrelated", v1::KIND_SET, "correlated", 2, 2},
                      Case{"SetGrrAll", v1::KIND_SET, "grr", 3, 3},
                      Case{"SetGrrSome", v1::KIND_SET, "grr", 4, 2},
                      Case{"SetPaddingAndSampling", v1::KIND_SET, "grr", 4, 1},
                      Case{"PairsPureDump", v1::KIND_KEY_VALUE, "pure_dump", 4, 4},
                      Case{"PairsPureDumpSome", v1::KIND_KEY_VALUE, "pure_dump", 4, 2},
                      Case{"PairsGrrAll", v1::KIND_KEY_VALUE, "grr", 3, 3},
                      Case{"PairsPaddingAndSampling", v1::KIND_KEY_VALUE, "grr", 4, 1}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tombola
