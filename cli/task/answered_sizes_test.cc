#include "cli/task/answered_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tombola::cli {
namespace {

using ::testing::HasSubstr;

v1::Answer HistogramOf(const std::vector<std::string>& labels, const std::vector<double>& shares) {
  v1::Answer answer;
  for (size_t i = 0; i < shares.size(); ++i) {
    answer.mutable_histogram()->add_values(i);
    answer.mutable_histogram()->add_frequencies(shares[i]);
    answer.mutable_histogram()->add_raw(shares[i] + 0.1);
    answer.mutable_histogram()->add_standard_errors(0.01 * static_cast<double>(i));
  }
  answer.mutable_histogram()->mutable_labels()->Add(labels.begin(), labels.end());
  return answer;
}

v1::Answer NumbersOf(const std::vector<double>& edges, const std::vector<double>& shares) {
  v1::Answer answer;
  for (size_t i = 0; i < shares.size(); ++i) {
    answer.mutable_number()->add_low_edges(edges[i]);
    answer.mutable_number()->add_high_edges(edges[i + 1]);
    answer.mutable_number()->add_frequencies(shares[i]);
    answer.mutable_number()->add_standard_errors(0.01);
  }
  return answer;
}

std::string Refusal(const v1::Answer& answer, std::optional<uint64_t> other = {}) {
  const auto read = SizesOfAnswer(answer, other);
  EXPECT_TRUE(absl::IsInvalidArgument(read.status())) << read.status();
  return std::string(read.status().message());
}

TEST(SizesOfAnswerTest, AHistogramsValuesAreNumbersOfRecords) {
  const auto read = SizesOfAnswer(HistogramOf({}, {0.5, 0.25, 0, 0.25}), {});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_DOUBLE_EQ(read->sizes.mean(), 1);
  EXPECT_EQ(read->sizes.most(), 3);
  EXPECT_DOUBLE_EQ(read->sizes.shares()[3].standard_error, 0.03);
  EXPECT_FALSE(read->open.has_value());
  EXPECT_EQ(read->beyond, 0);
}

TEST(SizesOfAnswerTest, LabelsCountAndNotTheirPlaces) {
  const auto read = SizesOfAnswer(HistogramOf({"5", "1", "10"}, {0.5, 0.3, 0.2}), 2);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_DOUBLE_EQ(read->sizes.mean(), 4.8);
  EXPECT_EQ(read->open, 10);
  EXPECT_DOUBLE_EQ(read->beyond, 0.2);
  EXPECT_THAT(Refusal(HistogramOf({"1", "2 or more"}, {0.5, 0.5})), HasSubstr("\"2 or more\""));
  EXPECT_THAT(Refusal(HistogramOf({"1", "-2"}, {0.5, 0.5})), HasSubstr("\"-2\""));
  EXPECT_THAT(Refusal(HistogramOf({"1", "01"}, {0.5, 0.5})), HasSubstr("1 must be there once"));
  EXPECT_THAT(Refusal(HistogramOf({"5", "1"}, {0.5, 0.5}), 1),
              HasSubstr("the value for all others, not 1"));
}

TEST(SizesOfAnswerTest, ABinStandsForItsOnlyWholeNumber) {
  // The last one holds 3 and 4.
  const auto ones = SizesOfAnswer(NumbersOf({0, 1, 2, 3, 4}, {0.4, 0.3, 0.2, 0.1}), {});
  ASSERT_TRUE(ones.ok()) << ones.status();
  EXPECT_DOUBLE_EQ(ones->sizes.mean(), 1);
  EXPECT_EQ(ones->open, 3);
  EXPECT_DOUBLE_EQ(ones->beyond, 0.1);
  // Between whole numbers nobody is; what noise says of it is left out.
  const auto halves =
      SizesOfAnswer(NumbersOf({-0.5, 0.25, 0.75, 1.5, 2}, {0.4, 0.2, 0.4, 0.2}), {});
  ASSERT_TRUE(halves.ok()) << halves.status();
  ASSERT_EQ(halves->sizes.shares().size(), 3u);
  EXPECT_DOUBLE_EQ(halves->sizes.mean(), 0.8);
  EXPECT_EQ(halves->sizes.most(), 2);
  EXPECT_FALSE(halves->open.has_value());
  EXPECT_THAT(Refusal(NumbersOf({0, 2, 4}, {0.5, 0.5})), HasSubstr("not 0 to 2: --edges"));
  EXPECT_THAT(Refusal(NumbersOf({-3, -2, -1, 0}, {0.5, 0.3, 0.2})), HasSubstr("-3 to -2"));
}

TEST(SizesOfAnswerTest, RefusesWhatTellsNothing) {
  EXPECT_THAT(Refusal(HistogramOf({}, {1, 0})), HasSubstr("tells no numbers of records"));
  EXPECT_THAT(Refusal(NumbersOf({}, {})), HasSubstr("tells no numbers of records"));
}

}  // namespace
}  // namespace tombola::cli
