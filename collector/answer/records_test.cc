#include "collector/answer/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/kind/records.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kDevices = 10'000;
constexpr int64_t kMost = 3;

// Ages 0 to 16 in sixteen bins, one of three cities and an amount of 0 to 10 in three levels. The
// ages as a tree; pairs of ages by city with the amount; all records with the amount.
std::shared_ptr<const Task> RecordsTask() {
  return MakeTestTask([](v1::Task* task) {
    task->set_kind(v1::KIND_RECORDS);
    task->mutable_domain()->Clear();
    task->mutable_domain()->set_size(17 + 5 + 25 * 3 + 2 * 3);
    v1::Records* const records = task->mutable_records();
    v1::Attribute* const age = records->add_attributes();
    age->set_name("age");
    age->add_edges(0);
    age->add_edges(16);
    age->set_bins(16);
    v1::Attribute* const city = records->add_attributes();
    city->set_name("city");
    for (const char* label : {"Oslo", "Bergen", "Bodo"}) city->add_labels(label);
    v1::Measure* const amount = records->add_measures();
    amount->set_name("amount");
    amount->mutable_levels()->set_high(10);
    amount->mutable_levels()->set_count(3);
    records->set_max_records(kMost);
    records->set_max_alike(kMost);
    v1::View* view = records->add_views();
    view->add_attributes(0);
    view->add_joined(1);
    view->set_branching(4);
    view = records->add_views();
    view->add_attributes(0);
    view->add_attributes(1);
    view->add_joined(2);
    view->add_joined(1);
    view->set_branching(0);
    view->set_measure(0);
    view = records->add_views();
    view->set_branching(0);
    view->set_measure(0);
    v1::Dummies* const dummies = task->mutable_mechanism()->mutable_pure_dump()->mutable_dummies();
    dummies->set_rate(uint64_t{20} << 40);
    dummies->set_honest(kDevices);
    dummies->set_max(200);
  });
}

class RecordsAnswererTest : public ::testing::Test {
 protected:
  RecordsAnswererTest() : held_(static_cast<size_t>(cells().cells)) {
    request_.set_confidence(0.95);
    request_.mutable_records();
    SetCounts(0);
  }

  const RecordCells& cells() const {
    return static_cast<const RecordsKind&>(task_->kind()).cells();
  }
  v1::RecordsQuestion& question() { return *request_.mutable_records(); }

  // So many records of this age, city and level of the amount.
  void Add(int64_t age, int64_t city, int64_t level, int64_t records) {
    records_ += records;
    for (const RecordsView& view : cells().views) {
      Fill(view, view.LeafOf({age, city}), view.measure.has_value() ? level : 0, records);
    }
  }

  // The counts of what was added, of those that there are not, and of as much noise as there is on
  // average, or of noise of that standard deviation.
  void SetCounts(double deviation) {
    std::vector<double> held = held_;
    const auto none = static_cast<double>(kDevices * kMost - records_);
    for (const RecordsView& view : cells().views) {
      for (int64_t level = 0; level < view.tree.levels(); ++level) {
        held[view.CellOf(view.tree.leaves(), level, 0)] += none;
      }
    }
    const mechanism::CountModel model = task_->kind().tables()[0]->count_model();
    std::normal_distribution<double> noise(0, 1);
    std::vector<int64_t> counts;
    counts.reserve(held.size());
    for (const double here : held) {
      counts.push_back(std::llround(Background(model, tally_) + here + deviation * noise(random_)));
    }
    counts_.tables = {{.reports = 1, .counts = std::move(counts)}};
  }

  absl::Status Ask(v1::Answer* answer, Postprocess how = Postprocess::kNone) {
    const absl::StatusOr<int64_t> bytes =
        RecordsAnswerer().Bytes(*task_, request_, AnswerForm::kText);
    if (!bytes.ok()) return bytes.status();
    EXPECT_GT(*bytes, 0);
    return RecordsAnswerer().Fill({.task = *task_, .counts = counts_, .tally = tally_}, request_,
                                  how, answer);
  }
  v1::Aggregates Ask() {
    v1::Answer answer;
    const absl::Status status = Ask(&answer);
    EXPECT_TRUE(status.ok()) << status;
    return answer.records();
  }
  std::string Refusal() {
    v1::Answer answer;
    const absl::Status status = Ask(&answer);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  }
  void Where(double low, double high) {
    v1::Condition* const condition = question().add_where();
    condition->set_attribute("age");
    condition->mutable_range()->set_low(low);
    condition->mutable_range()->set_high(high);
  }
  void In(const std::string& city) {
    v1::Condition* const condition = question().add_where();
    condition->set_attribute("city");
    condition->add_labels(city);
  }

  const std::shared_ptr<const Task> task_ = RecordsTask();
  mechanism::Tally tally_{.submissions = kDevices};

 private:
  void Fill(const RecordsView& view, int64_t leaf, int64_t measure_level, int64_t records) {
    for (int64_t level = 0; level < view.tree.levels(); ++level) {
      held_[view.CellOf(leaf, level, measure_level)] += static_cast<double>(records);
    }
  }

  v1::GetAnswerRequest request_;
  Counts counts_;
  std::vector<double> held_;
  int64_t records_ = 0;
  std::mt19937_64 random_{16};
};

// Counts are whole numbers, noise is not: a cell is off by half a count at most.
constexpr double kRounded = 0.5;

TEST_F(RecordsAnswererTest, CountsSumsAndAveragesAreTheTruthWithoutNoise) {
  Add(/*age=*/2, /*city=*/0, /*level=*/2, 4000);
  Add(3, 0, 0, 1000);
  Add(3, 1, 1, 2000);
  Add(12, 1, 2, 3000);
  SetCounts(0);
  v1::Aggregates all = Ask();
  EXPECT_NEAR(all.count().value(), 10'000, 20 * kRounded);
  EXPECT_NEAR(all.records().value(), 10'000, 20 * kRounded);
  EXPECT_FALSE(all.has_sum());
  question().set_measure("amount");
  Where(2, 4);
  all = Ask();
  EXPECT_NEAR(all.count().value(), 7000, 10);
  EXPECT_NEAR(all.sum().value(), 4000 * 10 + 2000 * 5, 100);
  EXPECT_NEAR(all.average().value(), 50'000.0 / 7000, 0.02);
  EXPECT_EQ(all.partial(), 0);
  In("Oslo");
  all = Ask();
  EXPECT_NEAR(all.count().value(), 5000, 3);
  EXPECT_NEAR(all.average().value(), 8, 0.01);
  EXPECT_EQ(all.counted(), "age by city with amount, 8 x 3 cells");
}

TEST_F(RecordsAnswererTest, OnlyTheViewThatTellsMostIsAsked) {
  Add(5, 1, 1, 6000);
  SetCounts(0);
  Where(5, 6);
  EXPECT_EQ(Ask().counted(), "age, a tree of 2 levels over 16 bins");
  question().set_measure("amount");
  const v1::Aggregates cut = Ask();
  EXPECT_EQ(cut.counted(), "age by city with amount, 8 x 3 cells");
  // Half of the pair of bins, as if they had their records evenly.
  EXPECT_NEAR(cut.count().value(), 3000, 5);
  EXPECT_NEAR(cut.partial(), 6000, 5);
}

TEST_F(RecordsAnswererTest, CellsAreThoseOfTheAttributesInTheOrderAskedFor) {
  Add(4, 2, 1, 5000);
  SetCounts(0);
  question().set_measure("amount");
  question().add_by("city");
  question().add_by("age");
  const v1::Aggregates body = Ask();
  ASSERT_EQ(body.cells_size(), 24);
  const v1::AggregateCell& cell = body.cells(2 * 8 + 2);
  EXPECT_EQ(cell.values(0).label(), "Bodo");
  EXPECT_EQ(cell.values(1).label(), "4..6");
  EXPECT_EQ(cell.values(1).range().high(), 6);
  EXPECT_NEAR(cell.count().value(), 5000, 3);
  EXPECT_NEAR(cell.average().value(), 5, 0.01);
  EXPECT_FALSE(body.cells(0).has_average());
  // Of a condition only what meets it.
  In("Bodo");
  EXPECT_EQ(Ask().cells_size(), 8);
}

TEST_F(RecordsAnswererTest, QuantilesAreOfTheAttribute) {
  for (int64_t age = 0; age < 16; ++age) Add(age, age % 3, 0, 500);
  SetCounts(0);
  question().add_by("age");
  question().add_fractions(0.25);
  question().add_fractions(0.5);
  const v1::Aggregates body = Ask();
  ASSERT_EQ(body.quantiles_size(), 2);
  EXPECT_NEAR(body.quantiles(0).value(), 4, 0.05);
  EXPECT_NEAR(body.quantiles(1).value(), 8, 0.05);
  for (const v1::Estimate& quantile : body.quantiles()) {
    EXPECT_LT(quantile.low(), quantile.value());
    EXPECT_GT(quantile.high(), quantile.value());
  }
}

TEST_F(RecordsAnswererTest, QuantilesAreWithinTheConditionOnTheAttribute) {
  for (int64_t age = 0; age < 16; ++age) Add(age, 0, 0, 500);
  SetCounts(0);
  question().set_measure("amount");  // which is counted by pairs of ages
  question().add_by("age");
  question().add_fractions(0);
  question().add_fractions(0.5);
  question().add_fractions(1);
  Where(5, 11);
  const v1::Aggregates body = Ask();
  ASSERT_EQ(body.quantiles_size(), 3);
  EXPECT_NEAR(body.quantiles(1).value(), 8, 0.05);
  for (const v1::Estimate& quantile : body.quantiles()) {
    EXPECT_GE(quantile.low(), 5);
    EXPECT_LE(quantile.high(), 11);
  }
}

// The standard error of the count is more than two records.
TEST_F(RecordsAnswererTest, QuantilesAreAbsentOfTooFewRecords) {
  Add(3, 0, 0, 2);
  question().add_by("age");
  question().add_fractions(0.5);
  SetCounts(0);
  const v1::Aggregates body = Ask();
  EXPECT_EQ(body.fractions_size(), 1);
  EXPECT_EQ(body.quantiles_size(), 0);
}

// Of 300 answers a quantile is further off than two of its standard errors as often as a normal
// number would be, or one in fourteen at the most (quantiles_test.cc): 50 or more have a
// probability below 1e-8, and so have 45 outside of intervals that miss one in twenty.
TEST_F(RecordsAnswererTest, QuantilesErrorsAreThoseOfManyAnswers) {
  for (int64_t age = 0; age < 16; ++age) Add(age, 0, 0, 8192 >> age);
  const mechanism::CountModel model = task_->kind().tables()[0]->count_model();
  const double deviation = std::sqrt(EstimateVariance(model, tally_, 0)) * kDevices;
  question().add_by("age");
  for (const double fraction : {0.5, 0.99}) {
    question().clear_fractions();
    question().add_fractions(fraction);
    SetCounts(0);
    const double truth = Ask().quantiles(0).value();
    int far = 0, outside = 0;
    for (int i = 0; i < 300; ++i) {
      SetCounts(deviation);
      const v1::Estimate found = Ask().quantiles(0);
      far += std::abs(found.value() - truth) > 2 * found.standard_error() ? 1 : 0;
      outside += truth < found.low() || truth > found.high() ? 1 : 0;
    }
    EXPECT_LT(far, 50) << fraction;
    EXPECT_LT(outside, 45) << fraction;
  }
}

// Of 1,000 answers from counts with normal noise of the mechanism's variance the mean square errors
// are chi-square: their ratio to what is said has a standard deviation of 0.045, and is off by more
// than 0.27 with probability below 1e-8 for each of six.
TEST_F(RecordsAnswererTest, StandardErrorsAreThoseOfManyAnswers) {
  Add(2, 0, 2, 4000);
  Add(9, 1, 0, 3000);
  Add(12, 1, 1, 2000);
  const mechanism::CountModel model = task_->kind().tables()[0]->count_model();
  const double deviation = std::sqrt(EstimateVariance(model, tally_, 0)) * kDevices;
  question().set_measure("amount");
  for (const bool flat : {true, false}) {
    question().clear_where();
    if (flat) {
      Where(2, 10);
      question().set_measure("amount");
    } else {
      Where(3, 14);
      question().set_measure("");
    }
    SetCounts(0);
    const v1::Aggregates truth = Ask();
    double count = 0, sum = 0, average = 0;
    for (int i = 0; i < 1000; ++i) {
      SetCounts(deviation);
      const v1::Aggregates body = Ask();
      const auto square = [](double error) { return error * error; };
      count +=
          square((body.count().value() - truth.count().value()) / body.count().standard_error());
      if (!flat) continue;
      // What is said of a sum has the measure's rounding too, of which there is none here.
      const double rounded = std::max(0.0, body.count().value()) * 25.0 / 4;
      sum += square(body.sum().value() - truth.sum().value()) /
             (square(body.sum().standard_error()) - rounded);
      average += square(body.average().value() - truth.average().value()) /
                 (square(body.average().standard_error()) - rounded / square(body.count().value()));
    }
    EXPECT_NEAR(count / 1000, 1, 0.27);
    if (!flat) continue;
    EXPECT_NEAR(sum / 1000, 1, 0.27);
    EXPECT_NEAR(average / 1000, 1, 0.27);
  }
}

TEST_F(RecordsAnswererTest, RefusesWhatIsNotThereAndNamesItWithItsBounds) {
  Where(4, 4);
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("age is 4..4"), HasSubstr("[0, 16]")));
  question().clear_where();
  Where(-1, 4);
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("age is -1..4"), HasSubstr("[0, 16]")));
  question().clear_where();
  In("Rome");
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("city"), HasSubstr("Rome"), HasSubstr("3 labels")));
  question().clear_where();
  question().add_where()->set_attribute("height");
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("\"height\""), HasSubstr("age, city")));
  question().clear_where();
  question().set_measure("price");
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("\"price\""), HasSubstr("amount")));
  question().set_measure("");
  question().add_by("city");
  question().add_fractions(0.5);
  EXPECT_THAT(Refusal(), HasSubstr("must be a number"));
  question().set_by(0, "age");
  question().add_fractions(0.5);
  EXPECT_THAT(Refusal(), HasSubstr("quantiles has 0.5 twice"));
  question().set_by(0, "city");
  question().clear_fractions();
  question().add_by("city");
  EXPECT_THAT(Refusal(), HasSubstr("there twice"));
  question().clear_by();
  v1::Answer answer;
  EXPECT_TRUE(absl::IsInvalidArgument(Ask(&answer, Postprocess::kPop)));
}

}  // namespace
}  // namespace tombola::collector
