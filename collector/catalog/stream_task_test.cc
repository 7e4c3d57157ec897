// Streams, as an administrator asks for them.
#include <cmath>
#include <functional>
#include <string>

#include "collector/catalog/task_maker.h"
#include "common/kind/kind.h"
#include "common/task/task.h"
#include "common/task/whole_life.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;
using Request = v1::CreateTaskRequest;

constexpr uint64_t kDay = 24 * 3600;

absl::StatusOr<std::shared_ptr<const Task>> MakeStreamTask(
    const std::function<void(Request*)>& change = nullptr) {
  Request request;
  request.set_name("visits");
  request.set_kind(v1::KIND_STREAM);
  request.set_domain_size(20);
  request.set_epsilon(1);
  request.set_delta(1e-6);
  request.set_users(10000);
  request.set_interval(kDay);
  request.mutable_stream()->set_periods(52);
  request.set_shuffler_key(std::string(AsView(TestShufflerKey().public_key())));
  if (change) change(&request);
  SeededRandom random(1);
  return MakeTask(request, TestCollectorKey().public_key(), TestTaskStart(), random);
}

std::string RefusalOf(const std::function<void(Request*)>& change) {
  const auto made = MakeStreamTask(change);
  EXPECT_TRUE(absl::IsInvalidArgument(made.status())) << made.status();
  return std::string(made.status().message());
}

void ExpectMeetsItsTarget(const Task& task) {
  const mechanism::Nodes& nodes = *task.nodes();
  for (uint64_t period = 1; period <= static_cast<uint64_t>(nodes.count()); ++period) {
    const auto delta = nodes.PeriodDelta(period, task.target().epsilon);
    ASSERT_TRUE(delta.ok()) << delta.status();
    EXPECT_LE(*delta, task.target().delta) << period;
  }
}

TEST(StreamTaskTest, HasTheStructureAndTheMechanismThatAreAskedFor) {
  for (const std::string mechanism : {"correlated", "pure_dump", "aue"}) {
    for (const std::string structure : {"plain", "fenwick", "best"}) {
      const auto made = MakeStreamTask([&](Request* r) {
        r->set_mechanism(mechanism);
        r->mutable_stream()->set_structure(structure);
      });
      ASSERT_TRUE(made.ok()) << made.status();
      EXPECT_EQ((*made)->SchemeOf(1).name(), mechanism);
      EXPECT_EQ((*made)->nodes()->count(), 52);
      EXPECT_EQ((*made)->nodes()->Depth() > 1, structure != "plain");
      EXPECT_EQ((*made)->periods()->count(), 52);
      ExpectMeetsItsTarget(**made);
    }
  }
}

TEST(StreamTaskTest, EndsWithItsLastPeriodAndRecognisesRetriesWithinOne) {
  const auto made = MakeStreamTask([](Request* r) { r->mutable_stream()->set_structure("plain"); });
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ((*made)->not_after() - (*made)->not_before(), absl::Hours(52 * 24));
  EXPECT_EQ((*made)->batch_policy().retry_window, absl::Hours(24) - absl::Minutes(10));
}

TEST(StreamTaskTest, NeedsOfANodeWhatItsPeriodsNeedTogether) {
  const auto made = MakeStreamTask([](Request* r) { r->set_mechanism("pure_dump"); });
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ((*made)->batch_policy().smallest_batch, 8000);
  for (uint64_t node = 1; node <= 52; ++node) {
    const auto length = static_cast<int64_t>(node - (*made)->nodes()->FirstPeriod(node) + 1);
    EXPECT_EQ((*made)->SmallestBatchOf(node), 8000 * length);
    EXPECT_EQ((*(*made)->nodes())[node].honest, 8000 * length);
  }
}

TEST(StreamTaskTest, SizesItsNoiseForWhatIsHonestOfEveryNode) {
  const auto made = MakeStreamTask([](Request* r) {
    r->set_mechanism("pure_dump");
    r->set_dishonest_share(0.13);
  });
  ASSERT_TRUE(made.ok()) << made.status();
  for (uint64_t node = 1; node <= 52; ++node) {
    const mechanism::StreamNode& of = (*(*made)->nodes())[node];
    EXPECT_LE(of.honest, (*made)->Honest(of.smallest_batch));
    EXPECT_GT(of.honest, (*made)->Honest(of.smallest_batch) - 52);
  }
  ExpectMeetsItsTarget(**made);
}

// Each period is a batch of its own, of which the observer's own hide nobody.
TEST(StreamTaskTest, CountsPlainPeriodsOfWhichAShareIsDishonestWithRandomisedResponse) {
  const auto made = MakeStreamTask([](Request* r) {
    r->set_mechanism("grr");
    r->set_dishonest_share(0.13);
  });
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ((*(*made)->nodes())[7].honest, (*made)->Honest((*made)->SmallestBatchOf(7)));
  ExpectMeetsItsTarget(**made);
  const auto all = MakeStreamTask([](Request* r) { r->set_mechanism("grr"); });
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_GT((*made)->kind().PredictedMse(10000), (*all)->kind().PredictedMse(10000))
      << "more noise, since fewer hide it";
}

Request OfItems(v1::Kind of, uint32_t most) {
  Request request;
  request.mutable_stream()->set_of(of);
  request.mutable_items()->set_max_items(most);
  if (of == v1::KIND_KEY_VALUE) {
    request.mutable_levels()->set_low(0);
    request.mutable_levels()->set_high(10);
    request.mutable_levels()->set_count(3);
  }
  return request;
}

TEST(StreamTaskTest, CountsSetsAndPairsOfWhichADeviceSendsAll) {
  for (const v1::Kind of : {v1::KIND_SET, v1::KIND_KEY_VALUE}) {
    for (const std::string structure : {"plain", "best"}) {
      const auto made = MakeStreamTask([&](Request* r) {
        r->MergeFrom(OfItems(of, 4));
        r->mutable_stream()->set_periods(24);
        r->mutable_stream()->set_structure(structure);
        r->set_mechanism("pure_dump");
      });
      ASSERT_TRUE(made.ok()) << made.status();
      const Kind& batch = (*made)->kind().OfOneBatch();
      EXPECT_EQ(batch.name(), of == v1::KIND_SET ? "set" : "key_value");
      const mechanism::Table& table = *(*made)->kind().TablesOf(24)[0];
      EXPECT_EQ(table.filling(), (mechanism::Filling{.held = 4, .sent = 4}));
      EXPECT_EQ(table.domain_size(), of == v1::KIND_SET ? 24 : 64);
      ExpectMeetsItsTarget(**made);
    }
  }
}

TEST(StreamTaskTest, CountsNumbersOnEveryLevelOfTheirTree) {
  for (const bool dithered : {false, true}) {
    const auto made = MakeStreamTask([&](Request* r) {
      r->mutable_stream()->set_periods(12);
      r->mutable_stream()->set_of(v1::KIND_NUMBER);
      r->mutable_numbers()->add_edges(0);
      r->mutable_numbers()->add_edges(100);
      r->mutable_numbers()->set_missing(true);
      r->mutable_numbers()->set_dithered(dithered);
      r->set_domain_size(dithered ? 0 : 100);
      r->set_mechanism("pure_dump");
    });
    ASSERT_TRUE(made.ok()) << made.status();
    const mechanism::Filling filling = (*made)->kind().TablesOf(3)[0]->filling();
    EXPECT_EQ(filling.sent, filling.held);
    EXPECT_EQ(filling.held > 1, !dithered) << "a tree is better than bins alone";
    ExpectMeetsItsTarget(**made);
  }
}

TEST(StreamTaskTest, RefusesWhatAStreamOfAnotherKindDoesNotHave) {
  const auto of_sets = [](const std::function<void(Request*)>& change) {
    return RefusalOf([&](Request* r) {
      r->MergeFrom(OfItems(v1::KIND_SET, 4));
      change(r);
    });
  };
  EXPECT_THAT(of_sets([](Request* r) { r->set_mechanism("grr"); }), HasSubstr("mechanism must be"));
  EXPECT_THAT(of_sets([](Request* r) { r->mutable_items()->set_sent(2); }), HasSubstr("sent must"));
  EXPECT_THAT(of_sets([](Request* r) { r->clear_items(); }), HasSubstr("task.items must be set"));
  EXPECT_THAT(of_sets([](Request* r) { r->mutable_items()->set_max_items(21); }),
              HasSubstr("max_items is 21"));
  EXPECT_THAT(of_sets([](Request* r) { r->mutable_stream()->clear_of(); }),
              HasSubstr("items, levels and numbers must be absent"));
  EXPECT_THAT(of_sets([](Request* r) { r->mutable_stream()->set_of(v1::KIND_RECORDS); }),
              HasSubstr("stream.of must be"));
}

TEST(StreamTaskTest, CountsPlainPeriodsWithRandomisedResponse) {
  const auto made = MakeStreamTask([](Request* r) { r->set_mechanism("grr"); });
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ((*made)->nodes()->Depth(), 1);
  ExpectMeetsItsTarget(**made);
}

// What usual devices take: neither grr's local budget is asked for, nor thousands of messages.
TEST(StreamTaskTest, ChoosesByItselfWhatUsualDevicesTake) {
  const auto made = MakeStreamTask([](Request* r) { r->mutable_stream()->set_periods(120); });
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_LE((*made)->scheme()->max_reports_per_submission(), 4096);
  ExpectMeetsItsTarget(**made);
}

TEST(StreamTaskTest, LeavesSomethingWhereALocalEpsilonIsAskedFor) {
  const auto made = MakeStreamTask([](Request* r) { r->set_max_local_epsilon(8); });
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ((*made)->SchemeOf(1).name(), "grr");
  EXPECT_LE((*made)->scheme()->local_epsilon(), 8);
}

// Two periods: in a tree about twice as much as one, in batches of their own the root of two.
TEST(StreamTaskTest, SaysWhatADeviceOfSeveralPeriodsCosts) {
  const auto life = [](const std::string& mechanism, const std::string& structure) {
    const auto made = MakeStreamTask([&](Request* r) {
      r->set_mechanism(mechanism);
      r->mutable_stream()->set_structure(structure);
      r->set_submissions_per_device(2);
    });
    EXPECT_TRUE(made.ok()) << made.status();
    return WholeLife(**made);
  };
  for (const std::string mechanism : {"pure_dump", "aue"}) {
    EXPECT_EQ(life(mechanism, "best").delta, 1e-6);
    EXPECT_GT(life(mechanism, "best").epsilon, 1.9);
    EXPECT_LT(life(mechanism, "best").epsilon, 2);
    EXPECT_EQ(life(mechanism, "plain").delta, 1e-6);
    EXPECT_LT(life(mechanism, "plain").epsilon, 1.5);
  }
  // A group.
  EXPECT_EQ(life("correlated", "best").epsilon, 2);
  EXPECT_NEAR(life("correlated", "best").delta, 1e-6 * (1 + std::exp(1)), 1e-11);
  EXPECT_LT(life("correlated", "plain").epsilon, 2);
}

TEST(StreamTaskTest, SaysThatNothingMeetsTheTarget) {
  EXPECT_TRUE(absl::IsFailedPrecondition(MakeStreamTask([](Request* r) {
                                           r->set_mechanism("aue");
                                           r->set_users(30);
                                         }).status()));
}

TEST(StreamTaskTest, RefusesAnIntervalThatRetriesDoNotFitIn) {
  EXPECT_THAT(RefusalOf([](Request* r) { r->set_retry_window(kDay); }),
              HasSubstr("interval must be at least 87000 seconds (24h10m) for a stream"));
  EXPECT_THAT(RefusalOf([](Request* r) { r->set_interval(3600); }),
              HasSubstr("interval must be at least 4000 seconds (1h6m40s) for a stream"));
  EXPECT_THAT(RefusalOf([](Request* r) { r->set_interval(3999); }),
              HasSubstr("at least 4000 seconds (1h6m40s)"));
  EXPECT_TRUE(MakeStreamTask([](Request* r) { r->set_interval(4000); }).ok());
  // The product of periods and interval is the task's life.
  EXPECT_THAT(RefusalOf([](Request* r) {
                r->mutable_stream()->set_periods(4096);
                r->set_interval(kDay);
              }),
              HasSubstr("interval must be between 1 and 77203 seconds (21h26m43s) for a stream of "
                        "4096 periods: a task lasts at most 3,660 days"));
}

TEST(StreamTaskTest, RefusesWhatAStreamDoesNotHave) {
  EXPECT_THAT(RefusalOf([](Request* r) { r->mutable_stream()->set_periods(0); }),
              HasSubstr("stream.periods must be between 1 and 4096"));
  EXPECT_THAT(RefusalOf([](Request* r) { r->mutable_stream()->set_periods(4097); }),
              HasSubstr("stream.periods must be between 1 and 4096"));
  EXPECT_THAT(RefusalOf([](Request* r) { r->mutable_stream()->set_structure("b-tree"); }),
              HasSubstr("stream.structure must be auto, plain, fenwick or best"));
  EXPECT_THAT(RefusalOf([](Request* r) { r->set_interval(0); }), HasSubstr("interval must be"));
  EXPECT_THAT(RefusalOf([](Request* r) { r->set_lifetime(kDay); }), HasSubstr("lifetime must be"));
  EXPECT_THAT(RefusalOf([](Request* r) { r->set_merge_periods(true); }),
              HasSubstr("merge_periods must be absent for a stream"));
  EXPECT_THAT(RefusalOf([](Request* r) { r->set_kind(v1::KIND_HISTOGRAM); }),
              HasSubstr("stream must be absent but for streams"));
  EXPECT_THAT(RefusalOf([](Request* r) { r->set_mechanism("local_hash"); }),
              HasSubstr("a stream's mechanism must be"));
  EXPECT_THAT(RefusalOf([](Request* r) { r->set_delta(1e-3); }), HasSubstr("delta must be below"));
}

}  // namespace
}  // namespace tombola::collector
