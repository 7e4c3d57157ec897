#include <cmath>

#include "cli/account/question.h"
#include "common/accounting/composition.h"
#include "common/mechanism/local_hash.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::cli {
namespace {

using ::testing::HasSubstr;

AccountQuestion Ask(const std::string& mechanism) {
  return {.mechanism = mechanism, .users = 600000, .delta = 1e-6};
}

AccountAnswer Must(const AccountQuestion& question) {
  const absl::StatusOr<AccountAnswer> answer = AnswerAccount(question);
  EXPECT_TRUE(answer.ok()) << answer.status();
  return answer.value_or(AccountAnswer());
}

std::string Refusal(const AccountQuestion& question) {
  const absl::StatusOr<AccountAnswer> answer = AnswerAccount(question);
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kInvalidArgument) << answer.status();
  return std::string(answer.status().message());
}

TEST(AccountTest, LocalHashIsWhatTheMechanismSays) {
  AccountQuestion question = Ask("local_hash");
  question.range = 2281;
  question.local_epsilon = std::log1p(6150.0);
  const double gamma = 2281.0 / (2281 + 6150.0);
  const auto mechanism = mechanism::LocalHash::Create(
      {.range = 2281,
       .blanket_threshold = static_cast<uint64_t>(std::ldexp(gamma, 64)),
       .domain_size = 600});
  ASSERT_TRUE(mechanism.ok()) << mechanism.status();
  EXPECT_NEAR(Must(question).epsilon / *mechanism->EpsilonAt(600000, 1e-6), 1, 2e-6);
  EXPECT_NEAR(*Must(question).local_epsilon, mechanism->local_epsilon(), 1e-12);
  question.colluding = 0.25;
  EXPECT_EQ(Must(question).honest, 450000);
  EXPECT_NEAR(Must(question).epsilon / *mechanism->EpsilonAt(450000, 1e-6), 1, 2e-6);
  question.epsilon = 0.5;
  EXPECT_NEAR(Must(question).delta / *mechanism->Delta(450000, 0.5), 1, 1e-8);
}

// The collisions of the family that has the range, as in the mechanism's own guarantee; a range
// that no family has counts on none.
TEST(AccountTest, SmallRangesCountCollisionsIn) {
  AccountQuestion question = Ask("local_hash");
  question.local_epsilon = std::log1p(60.0);
  for (const uint64_t range : {11, 16}) {
    const auto mechanism = mechanism::LocalHash::Create(
        {.family = range == 11 ? mechanism::HashFamily::kPlane : mechanism::HashFamily::kAffine,
         .range = range,
         .blanket_threshold =
             static_cast<uint64_t>(std::ldexp(static_cast<double>(range) / (range + 60.0), 64)),
         .lane_bits = range == 11 ? 0u : 32u,
         .domain_size = 100});
    ASSERT_TRUE(mechanism.ok()) << mechanism.status();
    question.range = static_cast<double>(range);
    EXPECT_NEAR(Must(question).epsilon / *mechanism->EpsilonAt(600000, 1e-6), 1, 2e-6) << range;
  }
  question.range = 12;
  const double none = Must(question).epsilon;
  question.range = 11;
  EXPECT_LT(Must(question).epsilon, 0.97 * none);
  AccountQuestion murs = question;
  murs.mechanism = "murs";
  murs.fakes = 0;
  EXPECT_EQ(Must(murs).epsilon, Must(question).epsilon);
}

TEST(AccountTest, EveryMechanismMeetsItsPlan) {
  AccountQuestion grr = Ask("grr");
  grr.domain = 600;
  grr.local_epsilon = 8.510492587601869;
  EXPECT_NEAR(Must(grr).epsilon, 0.5, 0.0005);
  AccountQuestion aue = Ask("aue");
  aue.dummies = 0.0002268708098303708 * 600000;
  EXPECT_NEAR(Must(aue).epsilon, 0.5, 1e-5);
  EXPECT_FALSE(Must(aue).local_epsilon.has_value());
  AccountQuestion pure = Ask("pure_dump");
  pure.dummies = 136.09618245688046;
  EXPECT_NEAR(Must(pure).epsilon, 0.5, 1e-5);
  AccountQuestion mix = Ask("mix_dump");
  mix.domain = 600;
  mix.dummies = 40826 / 600.0;
  mix.local_epsilon = std::log1p(10574.88260852839);
  EXPECT_NEAR(Must(mix).epsilon, 0.5, 0.0025);
  AccountQuestion murs = Ask("murs");
  murs.range = 2270;
  murs.fakes = 60000;
  murs.local_epsilon = std::log1p(8328.858533553695);
  EXPECT_NEAR(Must(murs).epsilon, 0.5, 0.0025);
  AccountQuestion correlated = Ask("correlated");
  correlated.noise_epsilon = 0.225;
  correlated.shape = 14.826904296875;
  correlated.flood = 0.9706877692486436;
  EXPECT_NEAR(Must(correlated).epsilon, 0.5, 1e-4);
  EXPECT_FALSE(Must(correlated).local_epsilon.has_value());
}

// The reference: dummies of the honest only, planned for 0.5 with all devices.
TEST(AccountTest, CollusionShrinksTheNoiseOfDevices) {
  AccountQuestion pure = Ask("pure_dump");
  pure.dummies = 136.09618245688046;
  pure.colluding = 0.5;
  EXPECT_NEAR(Must(pure).epsilon, 0.747, 0.0006);
  pure.colluding = 0.75;
  EXPECT_NEAR(Must(pure).epsilon, 1.166, 0.0006);
  pure.colluding = 0.9;
  EXPECT_EQ(AnswerAccount(pure).status().code(), absl::StatusCode::kFailedPrecondition);
  AccountQuestion grr = Ask("grr");
  grr.domain = 600;
  grr.local_epsilon = 8.510492587601869;
  grr.colluding = 0.5;
  EXPECT_LE(Must(grr).epsilon, 0.745);  // the reference takes few bins
  EXPECT_GE(Must(grr).epsilon, 0.74);
}

TEST(AccountTest, PublishedFormsAreLooserAndRefusedOutsideTheirRange) {
  AccountQuestion question = Ask("local_hash");
  question.range = 247;
  question.local_epsilon = std::log(738.474 - 247 + 1);
  const double tight = Must(question).epsilon;
  question.method = "published";
  EXPECT_NEAR(Must(question).epsilon, 0.4999999686785886, 1e-9);
  EXPECT_LT(tight, 0.3);
  EXPECT_EQ(Must(question).method, "published");
  question.users = 1000;
  EXPECT_EQ(AnswerAccount(question).status().code(), absl::StatusCode::kFailedPrecondition);
  AccountQuestion pure = Ask("pure_dump");
  pure.method = "published";
  pure.dummies = 487491.90001441375 / 600;
  EXPECT_THAT(Refusal(pure), HasSubstr("--domain"));
  pure.domain = 600;
  EXPECT_NEAR(Must(pure).epsilon, 0.5, 1e-9);
  AccountQuestion aue = Ask("aue");
  aue.method = "published";
  aue.dummies = 0.02026907322544555 * 600000;
  EXPECT_NEAR(Must(aue).epsilon, 0.5, 1e-9);
}

// Who knows less says more; the closed form more again.
TEST(AccountTest, GenericKnowsNothingButTheLocalEpsilon) {
  AccountQuestion generic = Ask("generic");
  generic.users = 100000;
  generic.local_epsilon = 4;
  EXPECT_NEAR(Must(generic).epsilon, 0.11816, 1e-5);
  AccountQuestion grr = generic;
  grr.mechanism = "grr";
  grr.domain = 100;
  EXPECT_LT(Must(grr).epsilon, Must(generic).epsilon);
  generic.method = "published";
  EXPECT_GT(Must(generic).epsilon, 0.17);
  generic.epsilon = 0.2;
  EXPECT_THAT(Refusal(generic), HasSubstr("--epsilon"));
}

TEST(AccountTest, SeveralSubmissionsComposeAndGroup) {
  AccountQuestion question = Ask("pure_dump");
  question.dummies = 136.09618245688046;
  const AccountAnswer one = Must(question);
  EXPECT_FALSE(one.several.has_value());
  question.submissions = 10;
  const AccountAnswer ten = Must(question);
  ASSERT_TRUE(ten.several.has_value());
  EXPECT_EQ(ten.epsilon, one.epsilon);
  EXPECT_DOUBLE_EQ(ten.several->together.epsilon, 10 * one.epsilon);
  EXPECT_GT(ten.several->together.delta, 2e-4);
  EXPECT_NEAR(ten.several->apart.epsilon, 1.694, 0.001);  // from an independent computation
  EXPECT_EQ(ten.several->apart.delta, 1e-6);
  question.total_delta = 1e-5;
  const AccountAnswer looser = Must(question);
  EXPECT_EQ(looser.epsilon, one.epsilon);
  EXPECT_EQ(looser.several->apart.delta, 1e-5);
  EXPECT_LT(looser.several->apart.epsilon, 1.55);
  // At an epsilon it is still the delta asked for.
  question.total_delta.reset();
  question.epsilon = 0.7;
  EXPECT_EQ(Must(question).several->apart.epsilon, ten.several->apart.epsilon);
}

TEST(AccountTest, EveryMechanismComposesByItsLoss) {
  AccountQuestion grr = Ask("grr");
  grr.domain = 600;
  grr.local_epsilon = 8.510492587601869;
  AccountQuestion local_hash = Ask("local_hash");
  local_hash.range = 2281;
  local_hash.local_epsilon = std::log1p(6150.0);
  AccountQuestion murs = local_hash;
  murs.mechanism = "murs";
  murs.fakes = 60000;
  AccountQuestion aue = Ask("aue");
  aue.dummies = 136.12;
  AccountQuestion mix = Ask("mix_dump");
  mix.domain = 600;
  mix.dummies = 40826 / 600.0;
  mix.local_epsilon = std::log1p(10574.88260852839);
  AccountQuestion generic = Ask("generic");
  generic.local_epsilon = 7;
  for (AccountQuestion question : {grr, local_hash, murs, aue, mix, generic}) {
    const double one = Must(question).epsilon;
    question.submissions = 10;
    const auto ten = Must(question).several;
    ASSERT_TRUE(ten.has_value());
    EXPECT_EQ(ten->apart.delta, 1e-6);
    EXPECT_GT(ten->apart.epsilon, 3.2 * one) << question.mechanism;
    EXPECT_LT(ten->apart.epsilon, 3.6 * one) << question.mechanism;
  }
  // Nearly pure: of ten at most 0.45 each.
  AccountQuestion correlated = Ask("correlated");
  correlated.noise_epsilon = 0.225;
  correlated.shape = 14.826904296875;
  correlated.flood = 0.9706877692486436;
  correlated.submissions = 10;
  EXPECT_LT(Must(correlated).several->apart.epsilon, 4.5);
}

TEST(AccountTest, FewMessagesComposeToNoMoreThanTheySayOfThemselves) {
  AccountQuestion grr = Ask("grr");
  grr.users = 3;
  grr.domain = 10;
  grr.local_epsilon = 1;
  grr.submissions = 2;
  EXPECT_LE(Must(grr).several->apart.epsilon, 2);
  EXPECT_GT(Must(grr).several->apart.epsilon, 1.99);
}

TEST(AccountTest, OfPublishedFormsThePairsCompose) {
  AccountQuestion pure = Ask("pure_dump");
  pure.method = "published";
  pure.dummies = 487491.90001441375 / 600;
  pure.domain = 600;
  pure.submissions = 10;
  const AccountAnswer ten = Must(pure);
  EXPECT_EQ(ten.several->apart.delta, accounting::Times(10, 1e-6));
  EXPECT_EQ(ten.several->apart.epsilon,
            *accounting::ComposedEpsilon({ten.epsilon, 1e-6}, 10, ten.several->apart.delta));
  pure.total_delta = 1e-6;
  EXPECT_EQ(AnswerAccount(pure).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(AccountTest, RefusesSeveralThatItCannotState) {
  AccountQuestion question = Ask("pure_dump");
  question.dummies = 136;
  question.submissions = 0;
  EXPECT_THAT(Refusal(question), HasSubstr("--submissions must be in [1, 1000], is 0"));
  question.submissions = 1;
  question.total_delta = 1e-6;
  EXPECT_THAT(Refusal(question), HasSubstr("--total-delta must be with --submissions"));
  question.submissions = 2;
  question.total_delta = 1;
  EXPECT_THAT(Refusal(question), HasSubstr("--total-delta must be in (0, 1), is 1"));
}

// Least dummies of a cell for (0.5, 1e-6), from an independent computation.
TEST(AccountTest, RecordsOfSeveralCellsAreAccountedForTogether) {
  AccountQuestion pure = Ask("pure_dump");
  pure.users = 1'000'000;
  pure.items = 6;
  pure.dummies = 781;
  EXPECT_NEAR(Must(pure).epsilon, 0.5, 5e-4);
  AccountQuestion one = pure;
  one.items = 1;
  EXPECT_LT(Must(one).epsilon, 0.2);
  // Two of six are hidden by three times the noise each.
  pure.sent = 2;
  EXPECT_LT(Must(pure).epsilon, 0.2);
  AccountQuestion two = one;
  two.items = 2;
  two.dummies = 3 * 781;
  EXPECT_EQ(Must(pure).epsilon, Must(two).epsilon);
  AccountQuestion aue = one;
  aue.mechanism = "aue";
  aue.items = 6;
  EXPECT_NEAR(Must(aue).epsilon, 0.5, 1e-3);
  // Six submissions of one cell in batches of their own have the same loss.
  AccountQuestion apart = one;
  apart.submissions = 6;
  EXPECT_NEAR(Must(apart).several->apart.epsilon, 0.5, 5e-4);
  AccountQuestion correlated = Ask("correlated");
  correlated.noise_epsilon = 0.05;
  correlated.shape = 100;
  correlated.flood = 0.97;
  correlated.items = 3;
  const double all = Must(correlated).epsilon;
  EXPECT_LT(all, 3 * 2 * 0.05 + 0.1);
  correlated.items = 1;
  EXPECT_GT(all, 2 * Must(correlated).epsilon);
}

TEST(AccountTest, ResponsesToSomeOfSeveralCells) {
  AccountQuestion grr = Ask("grr");
  grr.users = 1'000'000;
  grr.domain = 230;
  grr.items = 30;
  grr.local_epsilon = std::log1p(230 * (1 - 0.0295) / 0.0295);
  EXPECT_NEAR(Must(grr).epsilon, 0.5, 0.003);  // from an independent computation
  EXPECT_DOUBLE_EQ(*Must(grr).local_epsilon, 30 * *grr.local_epsilon);
  // One of them is today's accountant with a range of so many cells as a device may have sent.
  grr.sent = 1;
  AccountQuestion range = grr;
  range.items = 1;
  range.sent.reset();
  range.domain = 230 / 30;
  grr.domain = 7 * 30;
  EXPECT_EQ(Must(grr).epsilon, Must(range).epsilon);
  EXPECT_DOUBLE_EQ(*Must(grr).local_epsilon, *grr.local_epsilon);
}

TEST(AccountTest, RefusesCellsThatItCannotAccountFor) {
  AccountQuestion question = Ask("local_hash");
  question.items = 2;
  EXPECT_THAT(Refusal(question), HasSubstr("--items must be 1 for local_hash"));
  question.mechanism = "generic";
  EXPECT_THAT(Refusal(question), HasSubstr("--items must be 1 for generic"));
  question.mechanism = "murs";
  EXPECT_THAT(Refusal(question), HasSubstr("--items must be 1 for murs"));
  question.mechanism = "mix_dump";
  EXPECT_THAT(Refusal(question), HasSubstr("--items must be 1 for mix_dump"));
  question.mechanism = "aue";
  question.sent = 1;
  EXPECT_THAT(Refusal(question), HasSubstr("--sent must be --items for aue"));
  question.mechanism = "correlated";
  EXPECT_THAT(Refusal(question), HasSubstr("--sent must be --items for correlated"));
  question.mechanism = "pure_dump";
  question.dummies = 100;
  question.items = 6;
  question.sent = 4;
  EXPECT_THAT(Refusal(question), HasSubstr("--sent must be at least 1 and divide --items, is 4"));
  question.sent = 0;
  EXPECT_THAT(Refusal(question), HasSubstr("--sent"));
  question.sent.reset();
  question.items = 0;
  EXPECT_THAT(Refusal(question), HasSubstr("--items must be in [1, 4096], is 0"));
  question.items = 2;
  question.method = "published";
  EXPECT_THAT(Refusal(question), HasSubstr("--items must be 1 with --method published"));
  AccountQuestion grr = Ask("grr");
  grr.items = 30;
  grr.domain = 59;
  grr.local_epsilon = 5;
  EXPECT_THAT(Refusal(grr), HasSubstr("--domain must be at least twice --items"));
}

TEST(AccountTest, NamesTheFlagThatIsMissing) {
  AccountQuestion question = Ask("local_hash");
  EXPECT_THAT(Refusal(question), HasSubstr("--range"));
  question.range = 100;
  EXPECT_THAT(Refusal(question), HasSubstr("--local-epsilon"));
  EXPECT_THAT(Refusal(Ask("grr")), HasSubstr("--domain"));
  EXPECT_THAT(Refusal(Ask("aue")), HasSubstr("--dummies"));
  EXPECT_THAT(Refusal(Ask("pure_dump")), HasSubstr("--dummies"));
  EXPECT_THAT(Refusal(Ask("mix_dump")), HasSubstr("--domain"));
  question.mechanism = "murs";
  EXPECT_THAT(Refusal(question), HasSubstr("--fakes"));
  EXPECT_THAT(Refusal(Ask("correlated")), HasSubstr("--noise-epsilon"));
}

TEST(AccountTest, RefusesWhatItCannotAnswer) {
  EXPECT_THAT(Refusal(Ask("laplace")), HasSubstr("central"));
  EXPECT_THAT(Refusal(Ask("nonsense")), HasSubstr("--mechanism"));
  AccountQuestion question = Ask("pure_dump");
  question.dummies = 100;
  question.colluding = 1;
  EXPECT_THAT(Refusal(question), HasSubstr("--colluding"));
  question.colluding = 0;
  question.users = 0;
  EXPECT_THAT(Refusal(question), HasSubstr("--users"));
  question.users = 10;
  question.delta = 0;
  EXPECT_THAT(Refusal(question), HasSubstr("delta"));
  AccountQuestion correlated = Ask("correlated");
  correlated.noise_epsilon = 0.2;
  correlated.shape = 10;
  correlated.flood = 0.9;
  correlated.colluding = 0.1;
  EXPECT_THAT(Refusal(correlated), HasSubstr("--colluding"));
}

}  // namespace
}  // namespace tombola::cli
