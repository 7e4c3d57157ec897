#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lab/data/synthetic.h"
#include "lab/experiment/data_sets.h"
#include "lab/experiment/histograms.h"
#include "lab/experiment/join_study.h"
#include "lab/experiment/lines.h"
#include "lab/experiment/number_study.h"
#include "lab/experiment/stream_study.h"
#include "lab/joins/star_sets.h"
#include "lab/page/claims.h"
#include "lab/page/join_claims.h"
#include "lab/page/joins_page.h"
#include "lab/page/key_value_page.h"
#include "lab/page/markdown.h"
#include "lab/page/numbers_page.h"
#include "lab/page/reading.h"
#include "lab/page/set_page.h"
#include "lab/page/streams_page.h"
#include "lab/page/string_claims.h"
#include "lab/page/strings_page.h"

namespace tombola::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(MarkdownTest, WrapsByCharactersNotBytes) {
  const std::string words(40, 'a');
  EXPECT_EQ(Wrapped("- one\ntwo  three", "  "), "- one two three\n");
  // 40 + 1 + 40 + 1 + 18 are 100 characters; ε has two bytes.
  EXPECT_EQ(Wrapped(words + " " + words + " εεεεεεεεεεεεεεεεεε next", "  "),
            words + " " + words + " εεεεεεεεεεεεεεεεεε\n  next\n");
}

TEST(MarkdownTest, MakesTables) {
  EXPECT_EQ(TableOf({"a", "b"}, {{"1", "2"}, {"3", "–"}}),
            "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | – |\n");
}

TEST(MarkdownTest, ShortensNumbers) {
  EXPECT_EQ(ShortNumber(0), "0");
  EXPECT_EQ(ShortNumber(0.02134), "0.0213");
  EXPECT_EQ(ShortNumber(5.613), "5.61");
  EXPECT_EQ(ShortNumber(999.7), "1000");
  EXPECT_EQ(ShortNumber(13604), "13604");
  EXPECT_EQ(ShortNumber(4.21e-5), "4.2e-05");
  EXPECT_EQ(ShortNumber(2e7), "2.0e+07");
  EXPECT_EQ(ShortNumber(NAN), "–");
  EXPECT_EQ(Scientific(4.214e-5), "4.21e-05");
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(12345678), "12,345,678");
  EXPECT_EQ(Span({}), "–");
  EXPECT_EQ(Span({2.0}), "2");
  EXPECT_EQ(Span({3.0, 0.5, 1.0}), "0.5 to 3");
}

// A comparison of lines whose squared errors of frequencies are given, by epsilon.
Comparison Given(const std::vector<std::pair<std::string, std::vector<double>>>& given) {
  Comparison comparison;
  for (const auto& [name, values] : given) {
    comparison.lines.push_back({.name = name, .title = name});
    std::vector<Errors>& errors = comparison.errors.emplace_back();
    for (const double value : values) {
      errors.emplace_back().frequency = {value, value / 100};
      errors.back().every_mean = {value, value / 100};
      errors.back().relative.fill({value, 0});
      comparison.lines.back().points.emplace_back();
    }
  }
  return comparison;
}

TEST(ReadingTest, ComparesTheBestOfSome) {
  const Comparison first = Given({{"a", {4, 1}}, {"b", {2, 3}}, {"c", {1, 2}}});
  const Comparison second = Given({{"a", {5, 5}}, {"b", {6, 6}}, {"c", {10, 1}}});
  const std::vector<const Comparison*> both = {&first, &second};
  EXPECT_THAT(Ratios(both, {"a", "b"}, "c", FrequencyError), ElementsAre(2, 0.5, 0.5, 5));
  EXPECT_EQ(Tally(both, {"a", "b"}, FrequencyError), "a in 3, b in 1 of 4");
}

TEST(ClaimsTest, SaysInHowManyCellsAClaimHolds) {
  EXPECT_EQ(Verdict(0, 0), "not measured");
  EXPECT_EQ(Verdict(3, 3), "holds");
  EXPECT_EQ(Verdict(0, 3), "does not hold");
  EXPECT_EQ(Verdict(2, 3), "in 2 of 3");
}

TEST(ClaimsTest, JudgesHiskvAndWhoIsToldTheLength) {
  const std::vector<double> six = {6, 5, 4, 3, 2, 1};
  std::vector<Study> studies(1);
  studies[0].data = {.key = "gauss", .title = "GAUSS"};
  studies[0].local = Given({{"priv_kv", {6, 5, 4, 3, 2, 4}},  // rises at the end
                            {"ldpkv", six},
                            {"kvoh", six},
                            {"rappor_harmony", six},
                            {"pckv_grr_pair", {24, 20, 16, 12, 8, 4}},
                            {"pckv_grr", six},
                            {"lrr_kv", six},
                            {"hiskv", {12, 10, 2, 6, 4, 2}}});
  bool pair = false, curves = false, other = false;
  for (const Judged& judged : JudgeClaims(studies)) {
    if (judged.claim ==
        "HISKV's frequencies are better than those of PCKV-GRR with the pair budget") {
      pair = true;
      EXPECT_EQ(judged.hiskv, "holds");
      EXPECT_EQ(judged.hiskv_ratio, "2 to 8");
      EXPECT_EQ(judged.told, "holds");
      EXPECT_EQ(judged.told_ratio, "4");
    }
    if (judged.claim == "HISKV's frequencies are better than those of LDPKV and KVUE") {
      EXPECT_EQ(judged.hiskv, "in 1 of 6");
      EXPECT_EQ(judged.hiskv_ratio, "0.5 to 2");
    }
    if (judged.claim == "Every error of a frequency falls as ε grows") {
      curves = true;
      EXPECT_EQ(judged.hiskv, "in 4 of 6");  // not PrivKV's, nor HISKV's
    }
    if (judged.claim.starts_with("JData")) {
      other = true;
      EXPECT_EQ(judged.hiskv, "not measured");
    }
  }
  EXPECT_TRUE(pair && curves && other);
}

TEST(LinesTest, EveryMethodHasAFaceAndAPointForEveryEpsilon) {
  const Question question = {.users = 20000, .keys = 50, .values = true};
  const std::vector<double> epsilons = {0.5, 2};
  const Population population = DrawPopulation(std::vector<KeyLaw>(50, {0.1, 0.2}), 2000, 1);
  Predictor predictor(population);
  const std::vector<Published> published = PublishedKeyValueMethods();
  auto lines = LocalLines(question, published, 4, epsilons);
  ASSERT_TRUE(lines.ok()) << lines.status();
  EXPECT_EQ(lines->size(), published.size() + 1);
  auto shuffled = ShuffledLines(question, published, {2, 8, 20}, epsilons, 1e-6, predictor);
  ASSERT_TRUE(shuffled.ok()) << shuffled.status();
  EXPECT_EQ(shuffled->size(), published.size() + 5);
  for (const Line& line : *shuffled) {
    EXPECT_EQ(line.points.size(), 2) << line.name;
    EXPECT_GE(line.points[0].method->items(), 2);
    // Behind a shuffler more is left for the method than without.
    if (line.points[0].messages != 1) continue;
    EXPECT_GT(line.points[0].local_epsilon, 0.5) << line.name;
  }
  // Half of the devices hold more than 5: to cut them to 2 is worse than any noise.
  EXPECT_GE(shuffled->at(published.size() + 2).points[1].method->items(), 8);
  EXPECT_FALSE(LocalLines(question, published, 51, epsilons).ok());
}

// Both pages from a real run, small: that every part of them is there.
TEST(PageTest, IsMadeOfARun) {
  const MeasureOptions options = {.trials = 2, .seed = 1};
  std::vector<Study> studies;
  for (const DataSet& data : KeyValueDataSets("", 2000, 1)) {
    if (data.key != "gauss") continue;
    auto study = RunStudy(data, options);
    ASSERT_TRUE(study.ok()) << study.status();
    studies.push_back(*std::move(study));
  }
  const Pages pages = KeyValuePages(studies, {.seed = 1, .trials = 2});
  EXPECT_THAT(pages.markdown, HasSubstr("| LRR_KV | Zhang et al. 2021 | 1 | 1.0085 | "));
  EXPECT_THAT(pages.markdown, HasSubstr("**not private** for l = 1"));
  EXPECT_THAT(pages.markdown, HasSubstr("](results-key-value/gauss-a-frequency.svg)"));
  EXPECT_THAT(pages.markdown, HasSubstr("| pure_dump, all l (Tombola) | "));
  EXPECT_THAT(pages.markdown, HasSubstr("The clothing data are left out"));
  EXPECT_THAT(pages.markdown, Not(HasSubstr("\n\n\n")));
  for (const char* file : {"gauss-a-frequency.svg", "gauss-a-mean.svg", "gauss-b-frequency.svg",
                           "gauss-b-mean.svg", "measurements.csv"}) {
    EXPECT_TRUE(pages.files.contains(file)) << file;
  }
  EXPECT_THAT(pages.files.at("gauss-b-frequency.svg"), HasSubstr("pure_dump, all l (Tombola)"));
  EXPECT_THAT(pages.files.at("measurements.csv"), HasSubstr("\ngauss,shuffled,shared_noise,0.1,"));
}

TEST(PageTest, OfSetsIsMadeOfARun) {
  const MeasureOptions options = {.trials = 2, .seed = 1};
  DataSet data = {.key = "few", .title = "Few", .about = "Twenty items."};
  data.make = []() -> absl::StatusOr<Population> {
    return DrawPopulation(std::vector<KeyLaw>(60, {0.05, 0}), 2000, 1);
  };
  std::vector<Study> studies;
  auto study = RunStudy(data, options);
  ASSERT_TRUE(study.ok()) << study.status();
  studies.push_back(*std::move(study));
  const auto histograms = StudyHistograms(50000, 50, options);
  ASSERT_TRUE(histograms.ok()) << histograms.status();
  const Comparison& one = histograms->comparison;
  // Of 1 / 3.2: without a shuffler an oracle's error is far above that of one message behind it.
  EXPECT_GT(one.errors[one.Find("olh")][3].frequency.value,
            100 * one.errors[one.Find("shuffled_grr")][3].frequency.value);
  for (const char* name : {"grr", "oue", "olh"}) {
    for (const Errors& errors : one.errors[one.Find(name)]) {
      // 100 squares of nearly normal errors: a ratio beyond 2 has probability below 1e-8.
      EXPECT_LT(errors.frequency.value / errors.predicted, 2) << name;
      EXPECT_GT(errors.frequency.value / errors.predicted, 0.4) << name;
    }
  }
  const Pages pages = SetPages(studies, *histograms, {.seed = 1, .trials = 2});
  EXPECT_THAT(pages.markdown, HasSubstr("| PS-GRR | Wang et al. 2018 | 1 | 1.0000 |"));
  EXPECT_THAT(pages.markdown, HasSubstr("](results-sets/few-b-top.svg)"));
  EXPECT_THAT(pages.markdown, HasSubstr("| OLH, no shuffler | "));
  EXPECT_THAT(pages.markdown, HasSubstr("BMS WebView and Kosarak are left out"));
  EXPECT_THAT(pages.markdown, Not(HasSubstr("\n\n\n")));
  EXPECT_TRUE(pages.files.contains("histogram.svg"));
}

TEST(PageTest, OfNumbersIsMadeOfARun) {
  const auto study = StudyNumbers(100000, 1, 1);
  ASSERT_TRUE(study.ok()) << study.status();
  // At 0.8: it is 49.1 at 0.5 and 25.8 at 1, however many devices there are.
  EXPECT_LT(study->Range("tree").deviations[3], 49.1);
  EXPECT_GT(study->Range("tree").deviations[3], 25.8);
  for (const NumberLine& line : study->ranges) EXPECT_EQ(line.deviations.size(), 6) << line.name;
  EXPECT_LT(study->Mean("levels").deviations[2], study->Mean("real_sum").deviations[2]);
  EXPECT_LT(study->Mean("hybrid").deviations[5], study->Mean("duchi").deviations[5]);
  EXPECT_LT(study->Mean("bit_sum").deviations[2], study->Mean("bits_published").deviations[2]);
  EXPECT_LT(study->Mean("share_sum").deviations[2], study->Mean("bit_sum").deviations[2]);
  const Pages pages = NumberPages(*study, {.seed = 1, .trials = 1});
  EXPECT_THAT(pages.markdown, HasSubstr("| Privelet | central | "));
  EXPECT_THAT(pages.markdown, HasSubstr("](results-numbers/means.svg)"));
  EXPECT_THAT(pages.markdown, HasSubstr("| DDPS, real sum, published accounting | shuffled | "));
  EXPECT_THAT(pages.markdown, Not(HasSubstr("\n\n\n")));
}

TEST(PageTest, OfStreamsIsMadeOfARun) {
  const int64_t periods[] = {24, 52, 5000};
  const auto study =
      StudyStreams(periods, {.epsilon = 1, .delta = 1e-6, .devices = 10000, .cells = 20});
  ASSERT_TRUE(study.ok()) << study.status();
  EXPECT_EQ(study->laplace.fda, 296);
  EXPECT_EQ(study->laplace.best, 27);
  EXPECT_EQ(study->gaussian.fda, 10);
  EXPECT_EQ(study->gaussian.best, 6);
  for (const StreamWorld& world : study->worlds) {
    const StreamLine& fda = world.Find("fda");
    const StreamLine& best = world.Find("best");
    EXPECT_LT(best.spreads[1].mean, fda.spreads[1].mean) << world.key;
    EXPECT_TRUE(std::isnan(best.spreads[2].mean)) << world.key;
  }
  for (const StreamWorld& world : study->unbounded.worlds) {
    for (size_t at = 0; at < study->unbounded.periods.size(); ++at) {
      const double hybrid = world.Find("hybrid").spreads[at].mean;
      EXPECT_LT(world.Find("doubling").spreads[at].mean, hybrid) << world.key << " " << at;
    }
  }
  const Pages pages = StreamPages(*study);
  EXPECT_THAT(pages.markdown, HasSubstr("| FDA | 25.0839 |"));
  EXPECT_THAT(pages.markdown, HasSubstr("| the third node doubled | 26 |"));
  EXPECT_THAT(pages.markdown, HasSubstr("](results-streams/pure_dump.svg)"));
  EXPECT_THAT(pages.markdown, Not(HasSubstr("\n\n\n")));
  EXPECT_EQ(pages.files.size(), 6);
  EXPECT_THAT(pages.files.at("variances.csv"), HasSubstr("\ncorrelated,plain,24,121.394"));
  EXPECT_THAT(pages.files.at("variances.csv"), HasSubstr("\nunbounded_pure,hybrid,31,"));
}

TEST(PageTest, OfJoinsIsMadeOfARun) {
  JoinData data = {.key = "few", .title = "Few", .about = "A thousand devices."};
  data.make = []() -> absl::StatusOr<StarData> { return DrawSyn(1000, 1); };
  std::vector<JoinStudy> studies;
  auto study = RunJoinStudy(data, {.trials = 2, .seed = 1});
  ASSERT_TRUE(study.ok()) << study.status();
  studies.push_back(*std::move(study));
  EXPECT_EQ(studies[0].shuffled[kEpsilonAxis].Find("hio_join"), nullptr);
  EXPECT_LT(CountNmse(studies[0].local[kEpsilonAxis].Find("laplace")->errors[0]),
            CountNmse(studies[0].local[kEpsilonAxis].Find("hio_join")->errors[0]));
  const Pages pages = JoinPages(studies, {.seed = 1, .trials = 2});
  EXPECT_THAT(pages.markdown, HasSubstr("| LPRR-JOIN-T | Zhang et al. 2024 | 1 | infinite |"));
  EXPECT_THAT(pages.markdown, HasSubstr("](results-joins/few-b-tau-count.svg)"));
  EXPECT_THAT(pages.markdown, HasSubstr("Adult is left out"));
  EXPECT_THAT(pages.markdown, HasSubstr("| cannot be computed | no report says"));
  EXPECT_THAT(pages.markdown, Not(HasSubstr("\n\n\n")));
  EXPECT_THAT(pages.markdown, HasSubstr("| 2, c = 3 | – | – | "));
  EXPECT_EQ(pages.files.size(), 14);
  EXPECT_THAT(pages.files.at("caps.csv"), HasSubstr("\nfew,3,10,5,"));
  EXPECT_THAT(pages.files.at("measurements.csv"), HasSubstr("\nfew,shuffled,ranges,3,own,"));
}

StringLine FoundLine(const std::string& title, double epsilon,
                     const std::array<double, kStringTops.size()>& f1) {
  StringLine line{.title = title, .epsilon = epsilon};
  line.score.f1 = f1;
  line.score.found = 7;
  return line;
}

TEST(PageTest, OfStringsIsMadeOfWhatWasFound) {
  StringStudy study{.delta = 1e-6, .runs = 1, .needs_of = 1};
  study.rappor.push_back(
      {.rappor = {.f = 0.5, .p = 0.5, .q = 0.75, .hashes = 2, .bits = 128},
       .one = 1.07,
       .memo = 4.39,
       .of = std::vector<accounting::ShuffledRappor>(std::size(kRapporDevices))});
  StringWorld world{.key = "few", .title = "Few", .devices = 10, .strings = 2};
  world.own = {FoundLine("2 x 3, one message", 1, {1, 0.97, 0.9, 0.8})};
  world.local.blind = {FoundLine("RAPPOR, extended", 4, {0.9, 0.5, 0.2, 0})};
  world.local.listed = {FoundLine("count-mean sketch", 4, {0.9, 0.4, 0.2, 0}),
                        FoundLine("LDPMiner", 4, {0.8, 0.5, 0.2, 0})};
  study.worlds.push_back(world);
  const Pages pages = StringPages(study, {.seed = 1});
  EXPECT_EQ(pages.files.size(), 3);
  EXPECT_THAT(pages.files.at("few-local.svg"), HasSubstr("Tombola, 2 x 3, one message"));
  EXPECT_THAT(pages.files.at("few-shuffled.svg"), Not(HasSubstr("LDPMiner")));
  EXPECT_THAT(pages.files.at("strings.csv"), HasSubstr("\nFew,\"local, listed\",\"LDPMiner\",4,"));
  EXPECT_THAT(pages.markdown, HasSubstr("](results-strings/few-shuffled.svg)"));
  EXPECT_THAT(pages.markdown,
              HasSubstr("the best published method has 0.50 at\n  local ε = 4, and 0.00"));
  EXPECT_THAT(pages.markdown, Not(HasSubstr("\n\n\n")));
  // Usable from one half on; of the phases neither finds anything of the last top.
  EXPECT_THAT(pages.markdown, HasSubstr("does without a dictionary | in 2 of 4 |"));
  EXPECT_THAT(pages.markdown, HasSubstr("than a single one | in 1 of 3 |"));
  EXPECT_THAT(pages.markdown, HasSubstr("high utility | not measured | – |"));
}

}  // namespace
}  // namespace tombola::lab
