#include "cli/simulation/data.h"

#include <cmath>
#include <numeric>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::simulation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<Data> Make(const std::string& source, uint64_t seed = 1) {
  return MakeData({.source = source, .users = 600000, .domain = 600, .seed = seed});
}

absl::StatusOr<Data> Read(const std::string& text, std::optional<int64_t> users = {},
                          std::optional<int64_t> domain = {}) {
  std::istringstream lines(text);
  return ReadValues(lines, "cities.txt", users, domain);
}

std::string Refusal(const absl::StatusOr<Data>& data) {
  EXPECT_EQ(data.status().code(), absl::StatusCode::kInvalidArgument) << data.status();
  return std::string(data.status().message());
}

// Every count within 6 standard deviations of its law: 2e-9 each.
void ExpectFrequencies(const Data& data, const std::function<double(size_t)>& frequency) {
  EXPECT_EQ(std::accumulate(data.counts.begin(), data.counts.end(), int64_t{0}), data.users);
  for (size_t v = 0; v < data.counts.size(); ++v) {
    const double mean = static_cast<double>(data.users) * frequency(v);
    EXPECT_NEAR(static_cast<double>(data.counts[v]), mean, 6 * std::sqrt(mean) + 1) << v;
  }
}

TEST(DataTest, DrawnUsersFollowTheirLaw) {
  double zipf = 0;
  for (int v = 1; v <= 600; ++v) zipf += std::pow(v, -1.1);
  ExpectFrequencies(*Make("zipf:1.1"),
                    [&](size_t v) { return std::pow(static_cast<double>(v + 1), -1.1) / zipf; });
  ExpectFrequencies(*Make("uniform"), [](size_t) { return 1.0 / 600; });
  // The density at the middle of the cell, and the 0.27 % outside three deviations drawn again.
  ExpectFrequencies(*Make("normal"), [](size_t v) {
    const double z = (static_cast<double>(v) + 0.5 - 300) / 100;
    return std::exp(-z * z / 2) / (100 * std::sqrt(2 * M_PI)) / 0.9973002;
  });
}

TEST(DataTest, TheSeedDecides) {
  EXPECT_EQ(Make("zipf:1.1")->counts, Make("zipf:1.1")->counts);
  EXPECT_NE(Make("zipf:1.1")->counts, Make("zipf:1.1", 2)->counts);
}

TEST(DataTest, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(Refusal(Make("zipf:")), HasSubstr("--data must be zipf:S"));
  EXPECT_THAT(Refusal(Make("zipf:nan")), HasSubstr("--data must be zipf:S"));
  EXPECT_THAT(Refusal(Make("gauss")), HasSubstr("--data must be"));
  EXPECT_THAT(Refusal(Make("file:no/such/file")), HasSubstr("cannot read the file no/such/file"));
  EXPECT_THAT(Refusal(MakeData({.source = "normal", .users = 10})),
              HasSubstr("needs --users and --domain"));
  EXPECT_THAT(Refusal(MakeData({.source = "normal", .users = 0, .domain = 5})),
              HasSubstr("--users must be from 1"));
  EXPECT_THAT(Refusal(MakeData({.source = "normal", .users = 9, .domain = 1})),
              HasSubstr("--domain must be from 2"));
}

TEST(ReadValuesTest, NumbersAreValuesOfTheDomain) {
  const absl::StatusOr<Data> data = Read("2\n0\r\n2\n", {}, 4);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_THAT(data->counts, ElementsAre(1, 0, 2, 0));
  EXPECT_EQ(data->users, 3);
  EXPECT_EQ(Refusal(Read("2\n4\n", {}, 4)),
            "cities.txt: line 2 must be a whole number from 0 to 3");
  EXPECT_EQ(Refusal(Read("2\n-1\n", {}, 4)),
            "cities.txt: line 2 must be a whole number from 0 to 3");
  EXPECT_EQ(Refusal(Read("2\nred\n", {}, 4)),
            "cities.txt: line 2 must be a whole number from 0 to 3");
}

TEST(ReadValuesTest, NamesAreNumberedAsTheyCome) {
  const absl::StatusOr<Data> data = Read("red\nblue\nred\n7");
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_THAT(data->counts, ElementsAre(2, 1, 1));
  EXPECT_THAT(Read("red\nblue\n", {}, 3)->counts, ElementsAre(1, 1, 0));
  EXPECT_THAT(Read("30\n7\n30\n")->counts, ElementsAre(2, 1));
  EXPECT_EQ(Refusal(Read("red\nblue\ngreen\n", {}, 2)),
            "cities.txt: line 3 is one more name than the 2 of the domain");
}

TEST(ReadValuesTest, UsersAreTheFirstLines) {
  EXPECT_THAT(Read("a\nb\nc\n", 2)->counts, ElementsAre(1, 1));
  EXPECT_THAT(Refusal(Read("a\nb\nc\n", 4)), HasSubstr("has 3 lines, fewer than --users 4"));
}

TEST(ReadValuesTest, RefusesWhatSaysNothing) {
  EXPECT_THAT(Refusal(Read("")), HasSubstr("cities.txt: has no lines"));
  EXPECT_EQ(Refusal(Read("a\n\nb\n")), "cities.txt: line 2 is empty");
  EXPECT_THAT(Refusal(Read("a\na\n")), HasSubstr("has one distinct value"));
}

}  // namespace
}  // namespace tombola::simulation
