#include "collector/answer/number.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/kind/number.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kCounted = 100'000;

// Sixteen bins from 0 to 32, and four nodes above them, by randomised responses.
std::shared_ptr<const Task> MakeNumbers(const std::function<void(v1::Task*)>& change = nullptr) {
  return MakeTestTask([&](v1::Task* task) {
    task->set_kind(v1::KIND_NUMBER);
    task->mutable_domain()->clear_labels();
    task->mutable_domain()->set_size(16);
    task->mutable_numbers()->add_edges(0);
    task->mutable_numbers()->add_edges(32);
    task->mutable_numbers()->set_branching(4);
    task->mutable_numbers()->set_sent(2);
    task->mutable_mechanism()->mutable_grr()->set_blanket_threshold(uint64_t{1} << 62);
    if (change) change(task);
  });
}

class NumberAnswererTest : public ::testing::Test {
 protected:
  NumberAnswererTest() {
    SetTask(MakeNumbers());
    question().set_bins(0);
    request_.set_confidence(0.95);
  }

  void SetTask(std::shared_ptr<const Task> task) {
    task_ = std::move(task);
    const auto leaves = static_cast<size_t>(cells().tree.leaves());
    Hold(std::vector<double>(leaves, 1 / static_cast<double>(leaves)));
  }
  const NumberCells& cells() const { return static_cast<const NumberKind&>(task_->kind()).cells(); }
  v1::NumberQuestion& question() { return *request_.mutable_number(); }

  // As many devices in each bin, and without a number, as they are on average.
  void Hold(const std::vector<double>& shares) {
    const mechanism::CountModel model = task_->kind().tables()[0]->count_model();
    std::vector<double> held(static_cast<size_t>(cells().tree.cells()));
    for (size_t leaf = 0; leaf < shares.size(); ++leaf) {
      for (int64_t level = 0; level < cells().tree.levels(); ++level) {
        held[cells().tree.CellOf(static_cast<int64_t>(leaf), level)] += shares[leaf];
      }
    }
    std::vector<int64_t>& counts = counts_.tables.front().counts;
    counts.clear();
    for (const double share : held) {
      const double expected =
          Background(model, tally_) + share * kCounted * mechanism::Signal(model);
      counts.push_back(std::llround(expected));
    }
  }

  absl::Status Ask(v1::Answer* answer, Postprocess how = Postprocess::kNone) {
    return NumberAnswerer().Fill({.task = *task_, .counts = counts_, .tally = tally_}, request_,
                                 how, answer);
  }
  v1::Distribution Ask(Postprocess how = Postprocess::kNone) {
    v1::Answer answer;
    const absl::Status status = Ask(&answer, how);
    EXPECT_TRUE(status.ok()) << status;
    return answer.number();
  }
  std::string Complaint(Postprocess how = Postprocess::kNone) {
    v1::Answer answer;
    return std::string(Ask(&answer, how).message());
  }

  std::shared_ptr<const Task> task_;
  Counts counts_{.tables = {{}}};
  mechanism::Tally tally_{.submissions = kCounted};
  v1::GetAnswerRequest request_;
};

TEST_F(NumberAnswererTest, SaysHowNumbersAreDistributed) {
  for (const double fraction : {0.5, 0.0, 0.26}) question().add_fractions(fraction);
  const v1::Distribution body = Ask();
  EXPECT_FALSE(body.has_where());
  EXPECT_EQ(body.counted(), "a tree of 2 levels over 16 bins");
  for (const double known : {body.count().value(), body.count().low(), body.count().high()}) {
    EXPECT_EQ(known, kCounted);
  }
  EXPECT_EQ(body.count().standard_error(), 0);
  EXPECT_EQ(body.frequency().value(), 1);
  EXPECT_EQ(body.frequency().high(), 1);
  EXPECT_NEAR(body.mean().value(), 16, 1e-3);
  EXPECT_NEAR(body.spread(), 1, 1e-9);
  EXPECT_GT(body.mean().standard_error(), 0);
  EXPECT_LT(body.mean().low(), 15 - body.mean().standard_error());
  EXPECT_GT(body.mean().high(), 17 + body.mean().standard_error());
  EXPECT_NEAR(body.sum().value(), 16 * kCounted, 100);
  EXPECT_NEAR(body.sum().standard_error(), body.mean().standard_error() * kCounted, 100);
  EXPECT_EQ(body.partial(), 0);
  EXPECT_THAT(body.fractions(), ElementsAre(0.5, 0.0, 0.26));
  ASSERT_EQ(body.quantiles_size(), 3);
  EXPECT_NEAR(body.quantiles(0).value(), 16, 1e-2);
  EXPECT_LE(body.quantiles(0).low(), 16);
  EXPECT_GE(body.quantiles(0).high(), 16);
  EXPECT_NEAR(body.quantiles(1).value(), 0, 1e-2);
  EXPECT_NEAR(body.quantiles(2).value(), 0.26 * 32, 1e-2);
  // The distribution function has the slope 1/32 here.
  EXPECT_GT(body.quantiles(2).standard_error(), 0);
  EXPECT_LT(body.quantiles(2).standard_error(), 0.3);
  ASSERT_EQ(body.low_edges_size(), 16);
  for (int bin = 0; bin < 16; ++bin) {
    EXPECT_EQ(body.low_edges(bin), 2 * bin);
    EXPECT_EQ(body.high_edges(bin), 2 * bin + 2);
    EXPECT_NEAR(body.raw(bin), 1.0 / 16, 1e-4);
    EXPECT_EQ(body.raw(bin), body.frequencies(bin));
    EXPECT_LT(body.low(bin), body.raw(bin) - body.standard_errors(bin));
    EXPECT_GT(body.high(bin), body.raw(bin) + body.standard_errors(bin));
  }
}

TEST_F(NumberAnswererTest, JoinsBins) {
  question().set_bins(3);
  const v1::Distribution body = Ask(Postprocess::kPop);
  EXPECT_THAT(body.low_edges(), ElementsAre(0, 12, 24));
  EXPECT_THAT(body.high_edges(), ElementsAre(12, 24, 32));
  EXPECT_NEAR(body.raw(0), 0.375, 1e-3);
  EXPECT_NEAR(body.raw(2), 0.25, 1e-3);
  EXPECT_NEAR(body.frequencies(0) + body.frequencies(1) + body.frequencies(2), 1, 1e-9);
  question().set_bins(1);
  EXPECT_NEAR(Ask().raw(0), 1, 1e-12);
  EXPECT_EQ(Ask().standard_errors(0), 0);
}

// So many rows that a sum with their number wraps around: once that never ended.
TEST_F(NumberAnswererTest, HasNoMoreRowsThanBinsHoweverManyAreAskedFor) {
  question().set_bins(0);
  const int all = Ask().raw_size();
  for (const uint64_t most : {uint64_t{33}, uint64_t{1} << 63, ~uint64_t{0} - 1, ~uint64_t{0}}) {
    question().set_bins(most);
    EXPECT_EQ(Ask().raw_size(), all) << most;
  }
}

TEST_F(NumberAnswererTest, AnswersAboutARange) {
  question().mutable_where()->set_low(4);
  question().mutable_where()->set_high(12);
  v1::Distribution body = Ask(Postprocess::kPop);
  EXPECT_EQ(body.where().low(), 4);
  EXPECT_NEAR(body.count().value(), kCounted / 4.0, 10);
  EXPECT_GT(body.count().standard_error(), 1);
  EXPECT_NEAR(body.frequency().value(), 0.25, 1e-4);
  EXPECT_NEAR(body.mean().value(), 8, 1e-2);
  EXPECT_NEAR(body.sum().value(), 8 * kCounted / 4.0, 100);
  EXPECT_EQ(body.partial(), 0);
  EXPECT_THAT(body.low_edges(), ElementsAre(4, 6, 8, 10));
  EXPECT_NEAR(body.frequencies(0), 1.0 / 16, 1e-3);
  const double error = body.count().standard_error();

  question().mutable_where()->set_high(13);
  body = Ask();
  EXPECT_NEAR(body.partial(), kCounted / 16.0, 10);
  EXPECT_NEAR(body.count().value(), kCounted * (4.5 / 16), 10);
  // None or all of the devices in the bin that is cut.
  EXPECT_LT(body.count().low(), kCounted / 4.0 - error);
  EXPECT_GT(body.count().high(), kCounted * (5.0 / 16) + error);
  EXPECT_LT(body.mean().low(), 8 - 1);
  EXPECT_THAT(body.high_edges(), ElementsAre(6, 8, 10, 12, 13));
  EXPECT_EQ(body.low(4), 0);  // none of the bin's devices
  EXPECT_GT(body.high(4), 1.0 / 16);

  // All of them are no range.
  question().mutable_where()->set_low(0);
  question().mutable_where()->set_high(32);
  EXPECT_EQ(Ask().count().value(), kCounted);
  EXPECT_EQ(Ask().count().standard_error(), 0);
}

// By noise a bin may have less than nothing, by more than its interval.
TEST_F(NumberAnswererTest, TheIntervalOfACutBinHasItsValueAndNothing) {
  std::vector<double> shares(16, 0.0);
  shares[0] = 1;
  Hold(shares);
  counts_.tables.front().counts[3] -= 2000;
  question().mutable_where()->set_low(6);
  question().mutable_where()->set_high(8);
  const v1::Estimate whole = Ask().count();
  ASSERT_LT(whole.high(), 0);
  question().mutable_where()->set_high(7);
  const v1::Distribution body = Ask();
  EXPECT_NEAR(body.count().value(), whole.value() / 2, 1e-6);
  EXPECT_EQ(body.count().low(), body.count().value());
  EXPECT_EQ(body.count().high(), 0);
  EXPECT_LE(body.frequency().low(), body.frequency().value());
  EXPECT_EQ(body.frequency().high(), 0);
}

TEST_F(NumberAnswererTest, LeavesOutWhatFewDevicesSay) {
  std::vector<double> shares(16, 0.0);
  shares[0] = 1;
  Hold(shares);
  question().mutable_where()->set_low(4);
  question().mutable_where()->set_high(12);
  const v1::Distribution body = Ask();
  EXPECT_TRUE(body.has_count());
  EXPECT_TRUE(body.has_frequency());
  EXPECT_FALSE(body.has_mean());
  EXPECT_FALSE(body.has_sum());
  EXPECT_EQ(body.spread(), 0);
  EXPECT_EQ(body.low_edges_size(), 4);
}

TEST_F(NumberAnswererTest, CountsThoseWithoutANumberApart) {
  SetTask(MakeNumbers([](v1::Task* task) { task->mutable_numbers()->set_missing(true); }));
  std::vector<double> shares(17, 0.0);
  shares[3] = 0.25;
  shares[16] = 0.75;
  Hold(shares);
  question().add_fractions(0.5);
  v1::Distribution body = Ask();
  EXPECT_NEAR(body.count().value(), kCounted / 4.0, 10);
  EXPECT_GT(body.count().standard_error(), 1);
  EXPECT_EQ(body.frequency().value(), 1);
  EXPECT_EQ(body.frequency().standard_error(), 0);
  EXPECT_NEAR(body.mean().value(), 7, 1e-2);
  EXPECT_NEAR(body.sum().value(), 7 * kCounted / 4.0, 200);
  EXPECT_NEAR(body.raw(3), 1, 1e-3);
  EXPECT_NEAR(body.quantiles(0).value(), 7, 0.1);
  question().clear_fractions();
  question().mutable_where()->set_low(0);
  question().mutable_where()->set_high(8);
  EXPECT_NEAR(Ask().frequency().value(), 1, 1e-3);

  shares[3] = 0;
  shares[16] = 1;
  Hold(shares);
  question().clear_where();
  question().add_fractions(0.5);
  body = Ask();
  EXPECT_NEAR(body.count().value(), 0, 10);
  EXPECT_FALSE(body.has_frequency());
  EXPECT_FALSE(body.has_mean());
  EXPECT_EQ(body.quantiles_size(), 0);
  EXPECT_EQ(body.fractions_size(), 1);
  EXPECT_EQ(body.low_edges_size(), 0);
}

TEST_F(NumberAnswererTest, AllowsForUnevenBins) {
  SetTask(MakeNumbers([](v1::Task* task) {
    task->mutable_numbers()->clear_edges();
    for (const int edge : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 115}) {
      task->mutable_numbers()->add_edges(edge);
    }
  }));
  std::vector<double> shares(16, 0.0);
  shares[0] = shares[15] = 0.5;
  Hold(shares);
  const v1::Distribution body = Ask();
  EXPECT_NEAR(body.mean().value(), (0.5 + 65) / 2, 0.1);
  EXPECT_NEAR(body.spread(), (0.5 + 50) / 2, 0.1);
  EXPECT_LE(body.mean().low(), body.mean().value() - 25);
  EXPECT_EQ(body.high_edges(15), 115);
}

TEST_F(NumberAnswererTest, TakesDitheredLevelsForWhatTheyAre) {
  SetTask(MakeNumbers([](v1::Task* task) {
    task->mutable_domain()->set_size(3);
    task->mutable_numbers()->set_branching(0);
    task->mutable_numbers()->set_sent(1);
    task->mutable_numbers()->set_dithered(true);
  }));
  Hold({0.25, 0.5, 0.25});
  const v1::Distribution body = Ask();
  EXPECT_EQ(body.counted(), "3 levels, dithered");
  EXPECT_EQ(body.count().value(), kCounted);
  EXPECT_NEAR(body.mean().value(), 16, 1e-3);
  EXPECT_EQ(body.spread(), 0);
  // Rounding alone has at most the standard deviation of half a step each.
  EXPECT_GT(body.mean().standard_error(), 8 / std::sqrt(1.0 * kCounted));
  EXPECT_EQ(body.low_edges_size(), 0);
  EXPECT_EQ(body.quantiles_size(), 0);
  question().set_bins(2);
  EXPECT_THAT(Complaint(), HasSubstr("for their mean alone"));
  question().set_bins(0);
  question().add_fractions(0.5);
  EXPECT_THAT(Complaint(), HasSubstr("quantiles, where and bins cannot be asked for"));
}

TEST_F(NumberAnswererTest, AnswersAboutTwoBins) {
  SetTask(MakeNumbers([](v1::Task* task) {
    task->mutable_domain()->set_size(2);
    task->mutable_numbers()->set_sent(1);
  }));
  Hold({0.25, 0.75});
  question().add_fractions(0.5);
  const v1::Distribution body = Ask(Postprocess::kPop);
  EXPECT_EQ(body.counted(), "2 bins");
  EXPECT_NEAR(body.mean().value(), 0.25 * 8 + 0.75 * 24, 1e-2);
  EXPECT_EQ(body.quantiles(0).low(), 16);
  EXPECT_EQ(body.quantiles(0).high(), 32);
  EXPECT_NEAR(body.frequencies(0), 0.25, 1e-3);
}

TEST_F(NumberAnswererTest, ProcessesBinsAsAHistogram) {
  std::vector<double> shares(16, 0.0);
  shares[0] = 0.5;
  shares[15] = 0.5;
  Hold(shares);
  counts_.tables.front().counts[7] += 40;
  for (const Postprocess how : {Postprocess::kPop, Postprocess::kNormSub, Postprocess::kBaseCut}) {
    const v1::Distribution body = Ask(how);
    EXPECT_NEAR(body.frequencies(0), 0.5, 0.01);
    EXPECT_GE(body.frequencies(7), 0);
    if (how == Postprocess::kPop) continue;
    EXPECT_EQ(body.frequencies(7), 0);
  }
  EXPECT_THAT(Complaint(Postprocess::kEm), HasSubstr("em needs counts of bins"));
}

TEST_F(NumberAnswererTest, RefusesWhatCannotBeAskedAndNamesTheBounds) {
  question().add_fractions(1.5);
  EXPECT_THAT(Complaint(), HasSubstr("quantiles has 1.5; they must be in [0, 1]"));
  question().set_fractions(0, 0.5);
  question().add_fractions(0.5);
  EXPECT_THAT(Complaint(), HasSubstr("quantiles has 0.5 twice"));
  question().mutable_fractions()->RemoveLast();
  question().mutable_where()->set_low(4);
  question().mutable_where()->set_high(12);
  EXPECT_THAT(Complaint(), HasSubstr("without where"));
  question().clear_fractions();
  question().mutable_where()->set_low(12);
  EXPECT_THAT(Complaint(), HasSubstr("where is 12 to 12"));
  question().mutable_where()->set_high(33);
  EXPECT_THAT(Complaint(), HasSubstr("where is 12 to 33; it must be within 0 to 32"));
  for (int i = 0; i <= 1000; ++i) question().add_fractions(i / 1000.0);
  EXPECT_THAT(
      std::string(
          NumberAnswerer().Bytes(*task_, request_, AnswerForm::kMessage).status().message()),
      HasSubstr("at most 1000 can be asked for"));
}

TEST_F(NumberAnswererTest, TakesLessMemoryForFewerBins) {
  const auto bytes = [&](AnswerForm form) {
    return NumberAnswerer().Bytes(*task_, request_, form).value();
  };
  const int64_t all = bytes(AnswerForm::kMessage);
  question().set_bins(4);
  EXPECT_LT(bytes(AnswerForm::kMessage), all);
  EXPECT_GE(bytes(AnswerForm::kText), bytes(AnswerForm::kMessage));
}

TEST(NumberKindTest, RefusesReportsThatHashNumbers) {
  v1::Task task = TestTaskProto();
  task.set_kind(v1::KIND_NUMBER);
  task.mutable_domain()->clear_labels();
  task.mutable_numbers()->add_edges(0);
  task.mutable_numbers()->add_edges(1);
  task.mutable_numbers()->set_sent(1);
  EXPECT_THAT(std::string(Task::Parse(task.SerializeAsString()).status().message()),
              HasSubstr("task.mechanism hashes values"));
}

}  // namespace
}  // namespace tombola::collector
