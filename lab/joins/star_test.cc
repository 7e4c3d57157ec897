#include "lab/joins/star.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lab/joins/join_method.h"
#include "lab/joins/join_trial.h"
#include "lab/joins/star_sets.h"

namespace tombola::lab {
namespace {

StarData Three() {
  StarData data({4, 4, 4});
  const JoinedTuple many[] = {{0, 1, 1}, {1, 2, 125}, {2, 3, 63}, {0, 3, 125}};
  data.Add(0, many);
  data.Add(1, {});
  const JoinedTuple one[] = {{2, 2, 25}};
  data.Add(3, one);
  return data;
}

TEST(StarDataTest, AnswersQuestions) {
  const StarData data = Three();
  EXPECT_EQ(data.tuples(), 5);
  EXPECT_EQ(data.most(), 4);
  const JoinTruth first = TruthOf(data, {.asked = 1, .box = {Interval{0, 2}}});
  EXPECT_EQ(first.count, 4);
  EXPECT_EQ(first.sum, 1 + 125 + 63 + 125);
  JoinQuery both = {.asked = 2, .box = {Interval{0, 4}, Interval{2, 4}}};
  EXPECT_EQ(TruthOf(data, both).sum, 63 + 25);
  both.asked = 3;
  both.box[2] = {2, 3};
  EXPECT_EQ(TruthOf(data, both).count, 1);
  EXPECT_EQ(TotalOf(data).count, 5);
}

TEST(JoinTrialTest, PicksAndKeepsAsExpected) {
  const StarData data = Three();
  JoinFacts facts(data, 1);
  EXPECT_DOUBLE_EQ(
      facts.picked(2).Sum(0, {Interval{0, 4}}) + facts.picked(2).Sum(1, {Interval{0, 4}}), 1 + 0.5);
  EXPECT_DOUBLE_EQ(facts.kept(2).Sum(0, {Interval{0, 1}}) + facts.kept(2).Sum(1, {Interval{0, 1}}),
                   2);
  EXPECT_DOUBLE_EQ(facts.KeptShare(2), 3.0 / 5);
  const JoinQuery everything = {.asked = 1, .box = {Interval{0, 4}}};
  EXPECT_DOUBLE_EQ(facts.PickedSpread(everything, 2).count, 1 + 0.25);
  EXPECT_NEAR(facts.KeptVariance(everything, 2).choice.count, 0, 1e-12);  // always two of four
  double picked = 0, high = 0;
  constexpr int kRuns = 4000;
  for (int seed = 0; seed < kRuns; ++seed) {
    JoinTrial trial(data, 1, seed);
    picked += trial.picked(2).Sum(0, {Interval{3, 4}}) + trial.picked(2).Sum(1, {Interval{3, 4}});
    high += trial.kept(4, /*rounded=*/true).Sum(1, {Interval{0, 1}});
    EXPECT_NEAR(trial.kept(4, /*rounded=*/false).Sum(1, {Interval{0, 1}}), 2.5, 1e-12);
    EXPECT_EQ(
        trial.kept(2, true).Sum(0, {Interval{0, 1}}) + trial.kept(2, true).Sum(1, {Interval{0, 1}}),
        2);
  }
  // Binomial; six standard deviations fail with probability 2e-9 each.
  EXPECT_NEAR(picked / kRuns, 0.5, 6 * std::sqrt(0.25 / kRuns));
  EXPECT_NEAR(high / kRuns, 2.5, 6 * std::sqrt(0.25 / kRuns));
}

TEST(StarSetsTest, HaveTheStatedShapes) {
  const StarData syn = DrawSyn(20000, 1);
  EXPECT_EQ(syn.most(), 10);
  EXPECT_NEAR(static_cast<double>(syn.tuples()) / 20000, 5.5, 6 * std::sqrt(8.25 / 20000));
  double below = 0, beyond = 0;
  const StarData ipums = DrawIpumsStandIn(20000, 1);
  for (int64_t user = 0; user < ipums.users(); ++user) {
    below += ipums.joined(user).size() < 6 ? 1 : 0;
    beyond += ipums.profile(user) >= 90 ? 1 : 0;
  }
  EXPECT_NEAR(below / 20000, 0.97, 6 * std::sqrt(0.03 / 20000));
  EXPECT_EQ(beyond, 0);
}

TEST(StarSetsTest, ReadsAdult) {
  const std::string row = "39, State-gov, 77516, Bachelors, 13, a, b, c, d, e, 2174, 0, 40, f, g\n";
  const auto data = ParseAdult(absl::StrCat(row, row, "\n"), 1);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(data->users(), 2);
  EXPECT_EQ(data->profile(0), 38);
  EXPECT_EQ(data->joined(1)[0].product, 12);
  EXPECT_EQ(data->joined(1)[0].fact, 39);
  EXPECT_EQ(data->joined(1)[0].amount, 19);
  EXPECT_EQ(ParseAdult(absl::StrCat(row, "39, x\n"), 1).status().message(),
            "adult.data, line 2: must be 15 fields, as UCI has them");
  EXPECT_EQ(ParseAdult("", 1).status().message(), "adult.data holds no row");
  EXPECT_FALSE(ReadAdult("/nowhere", 1).ok());
}

TEST(JoinSettingTest, NamesWhatIsOutOfRange) {
  const JoinSetting good = {.places = {4, 4, 4}, .users = 10, .epsilon = 1};
  EXPECT_TRUE(Validate(good).ok());
  const auto why = [&](auto change) {
    JoinSetting setting = good;
    change(setting);
    return std::string(Validate(setting).message());
  };
  EXPECT_EQ(why([](JoinSetting& s) { s.asked = 4; }), "asked must be from 1 to 3");
  EXPECT_EQ(why([](JoinSetting& s) { s.places[1] = 1; }), "places must be from 2 to 256");
  EXPECT_EQ(why([](JoinSetting& s) { s.users = 0; }), "users must be at least 1");
  EXPECT_EQ(why([](JoinSetting& s) { s.tau = 0; }), "tau must be from 1 to 1000");
  EXPECT_EQ(why([](JoinSetting& s) { s.branching = 1; }), "branching must be at least 2");
  EXPECT_EQ(why([](JoinSetting& s) { s.epsilon = 0; }), "epsilon must be finite and above 0");
}

}  // namespace
}  // namespace tombola::lab
