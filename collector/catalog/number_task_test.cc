// Tasks about numbers, as an administrator asks for them.
#include <cmath>
#include <functional>
#include <string>

#include "collector/catalog/task_maker.h"
#include "common/kind/number.h"
#include "common/task/task.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;
using Request = v1::CreateTaskRequest;

absl::StatusOr<std::shared_ptr<const Task>> MakeNumbers(
    const std::function<void(Request*)>& change = nullptr) {
  Request request;
  request.set_name("ages");
  request.set_kind(v1::KIND_NUMBER);
  request.set_domain_size(256);
  request.set_epsilon(1);
  request.set_delta(1e-6);
  request.set_users(20000);
  request.mutable_numbers()->add_edges(0);
  request.mutable_numbers()->add_edges(128);
  request.set_shuffler_key(std::string(AsView(TestShufflerKey().public_key())));
  if (change) change(&request);
  SeededRandom random(1);
  return MakeTask(request, TestCollectorKey().public_key(), TestTaskStart(), random);
}

const NumberCells& CellsOf(const absl::StatusOr<std::shared_ptr<const Task>>& made) {
  EXPECT_TRUE(made.ok()) << made.status();
  return static_cast<const NumberKind&>((*made)->kind()).cells();
}

std::string RefusalOf(const std::function<void(Request*)>& change) {
  const auto made = MakeNumbers(change);
  EXPECT_TRUE(absl::IsInvalidArgument(made.status())) << made.status();
  return std::string(made.status().message());
}

void ExpectMeetsItsTarget(const Task& task) {
  const int64_t honest = task.Honest(task.batch_policy().smallest_batch);
  const auto delta = task.scheme()->Delta(honest, task.target().epsilon);
  ASSERT_TRUE(delta.ok()) << delta.status();
  EXPECT_LE(*delta, task.target().delta);
}

TEST(NumberTaskTest, HasTheTreeThatIsPlanned) {
  const auto made = MakeNumbers();
  const NumberCells& cells = CellsOf(made);
  EXPECT_EQ(cells.bins.size(), 256);
  EXPECT_EQ(cells.bins.high(), 128);
  EXPECT_GT(cells.tree.levels(), 1);
  EXPECT_EQ(cells.filling.sent, cells.tree.levels());
  EXPECT_FALSE(cells.missing());
  EXPECT_FALSE(cells.levels.has_value());
  ExpectMeetsItsTarget(**made);
}

TEST(NumberTaskTest, HasTheTreeThatIsAskedFor) {
  const auto made = MakeNumbers([](Request* r) {
    r->set_branching(4);
    r->mutable_numbers()->set_missing(true);
    r->set_mechanism("pure_dump");
  });
  const NumberCells& cells = CellsOf(made);
  EXPECT_EQ(cells.tree.branching(), 4);
  EXPECT_EQ(cells.tree.levels(), 4);
  EXPECT_TRUE(cells.missing());
  EXPECT_EQ((*made)->scheme()->name(), "pure_dump");
  ExpectMeetsItsTarget(**made);
  const auto sampled = MakeNumbers([](Request* r) {
    r->set_branching(4);
    r->mutable_numbers()->set_sent(1);
    r->set_mechanism("grr");
  });
  EXPECT_EQ(CellsOf(sampled).filling.sent, 1);
  ExpectMeetsItsTarget(**sampled);
}

TEST(NumberTaskTest, BinsAloneLeaveALocalEpsilonByDefault) {
  const auto made = MakeNumbers([](Request* r) { r->set_branching(0); });
  EXPECT_EQ(CellsOf(made).tree.levels(), 1);
  EXPECT_TRUE(std::isfinite((*made)->scheme()->local_epsilon()));
}

TEST(NumberTaskTest, ForMeansAloneHasAsManyLevelsAsArePlannedOrAskedFor) {
  const auto planned = MakeNumbers([](Request* r) {
    r->mutable_numbers()->set_dithered(true);
    r->clear_domain_size();
  });
  ASSERT_TRUE(CellsOf(planned).levels.has_value());
  EXPECT_GE(CellsOf(planned).levels->count, 2);
  EXPECT_TRUE(std::isfinite((*planned)->scheme()->local_epsilon()));
  ExpectMeetsItsTarget(**planned);
  const auto asked = MakeNumbers([](Request* r) {
    r->mutable_numbers()->set_dithered(true);
    r->mutable_numbers()->set_missing(true);
    r->set_domain_size(7);
  });
  EXPECT_EQ(CellsOf(asked).levels->count, 7);
  EXPECT_EQ(CellsOf(asked).tree.cells(), 8);
}

TEST(NumberTaskTest, PredictsTheErrorThatItWasChosenFor) {
  const auto best = MakeNumbers();
  const auto alone = MakeNumbers([](Request* r) { r->set_branching(0); });
  ASSERT_TRUE(best.ok() && alone.ok());
  EXPECT_LT((*best)->kind().PredictedMse(20000), (*alone)->kind().PredictedMse(20000));
}

TEST(NumberTaskTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT(RefusalOf([](Request* r) { r->clear_numbers(); }), HasSubstr("numbers must be set"));
  EXPECT_THAT(RefusalOf([](Request* r) { r->clear_domain_size(); }), HasSubstr("domain_size"));
  EXPECT_THAT(RefusalOf([](Request* r) { r->set_domain_size(1); }), HasSubstr("domain_size"));
  EXPECT_THAT(RefusalOf([](Request* r) { r->mutable_numbers()->set_edges(1, 0); }),
              HasSubstr("edges"));
  EXPECT_THAT(RefusalOf([](Request* r) { r->mutable_numbers()->add_edges(INFINITY); }),
              HasSubstr("edges"));
  EXPECT_THAT(RefusalOf([](Request* r) { r->set_branching(1); }), HasSubstr("branching"));
  EXPECT_THAT(RefusalOf([](Request* r) { r->set_branching(4097); }), HasSubstr("branching"));
  EXPECT_THAT(RefusalOf([](Request* r) {
                r->set_branching(2);
                r->set_domain_size(1 << 24);
              }),
              HasSubstr("2^24"));
  EXPECT_THAT(
      RefusalOf([](Request* r) { r->mutable_numbers()->set_dithered(true), r->set_branching(0); }),
      HasSubstr("branching"));
  EXPECT_THAT(RefusalOf([](Request* r) {
                r->mutable_numbers()->set_dithered(true);
                r->set_domain_size(257);
              }),
              HasSubstr("[2, 256]"));
  EXPECT_THAT(RefusalOf([](Request* r) { r->mutable_items()->set_max_items(2); }),
              HasSubstr("task.items"));
  EXPECT_THAT(RefusalOf([](Request* r) {
                r->set_kind(v1::KIND_HISTOGRAM);
                r->clear_numbers();
                r->set_branching(4);
              }),
              HasSubstr("branching"));
}

// No tree of 256 bins has 17 levels; with this branching it has 4.
TEST(NumberTaskTest, SaysOfHowManyLevelsADeviceMaySpeak) {
  EXPECT_THAT(RefusalOf([](Request* r) { r->mutable_numbers()->set_sent(17); }),
              HasSubstr("sent is 17; it must be a divisor of the levels of a tree"));
  EXPECT_THAT(RefusalOf([](Request* r) {
                r->set_branching(4);
                r->mutable_numbers()->set_sent(3);
              }),
              HasSubstr("sent is 3; it must be a divisor of the levels of a tree over these bins, "
                        "which may be 4"));
}

}  // namespace
}  // namespace tombola::collector
