// A stream's device: a group of reports for every node over the period, each sealed for its node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/session/session.h"
#include "client/session/session_harness.h"
#include "common/crypto/hpke_open.h"
#include "common/table/value_report.h"

namespace tombola::client {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Cells = std::vector<uint32_t>;

// Fenwick's structure over eight days; the key of node n is the nth letter after a, which is that
// of the general key.
class SessionStreamTest : public SessionTest {
 protected:
  SessionStreamTest() { UseStream(nullptr); }

  void UseStream(const std::function<void(v1::Task*)>& change) {
    UseTask([&](v1::Task* task) {
      MakeStream({0, 0, 2, 0, 4, 4, 6, 0}, task);
      if (change) change(task);
    });
    shuffler_->ServeKeys(SignedKeys(5, KeysOf({1, 2, 3, 4, 5, 6, 7, 8})));
  }
  static char NameOf(uint64_t node) { return static_cast<char>('a' + node); }
  // As the collector makes it.
  KeyLife KeyOf(uint64_t node) const {
    const Periods& periods = *task_->periods();
    return {.name = NameOf(node),
            .not_before = periods.Opens(task_->nodes()->FirstPeriod(node)),
            .not_after = periods.Closes(node),
            .task = task_->id(),
            .node = node};
  }
  std::vector<KeyLife> KeysOf(const std::vector<uint64_t>& nodes) const {
    std::vector<KeyLife> keys = {
        {.name = 'a', .not_before = task_->not_before(), .not_after = task_->not_after()}};
    for (const uint64_t node : nodes) keys.push_back(KeyOf(node));
    return keys;
  }
  void ToPeriod(uint64_t period) {
    clock_->Advance(task_->periods()->Begins(period) + absl::Hours(1) - clock_->Now());
  }
  v1::SubmitRequest Last() const { return shuffler_->requests().back(); }
  std::vector<uint64_t> NodesOf(const v1::SubmitRequest& request) const {
    std::vector<uint64_t> nodes;
    for (const v1::NodeGroup& group : request.groups()) nodes.push_back(group.node());
    return nodes;
  }
  // What a group says, opened as of that node; empty if it does not open.
  Cells Opened(const v1::NodeGroup& group, uint64_t as_of) const {
    const KeyId id = TestHpkeKeyId(NameOf(group.node()));
    EXPECT_EQ(group.key_id(), AsView(id));
    auto opener =
        *crypto::Opener::Create(TestHpkeKey(NameOf(group.node())), task_->HpkeInfo(id, as_of));
    Cells values;
    const auto* sealed = reinterpret_cast<const uint8_t*>(group.sealed_reports().data());
    for (size_t at = 0; at < group.sealed_reports().size(); at += task_->sealed_bytes()) {
      std::vector<uint8_t> plaintext(task_->scheme()->report_bytes());
      if (!opener.Open({sealed + at, task_->sealed_bytes()}, absl::MakeSpan(plaintext))) return {};
      mechanism::ValueReport report;
      EXPECT_TRUE(mechanism::Read(plaintext, &report));
      values.push_back(report.value);
    }
    return values;
  }
};

TEST_F(SessionStreamTest, ASubmissionHasAGroupForEveryNodeOverItsPeriod) {
  ASSERT_TRUE(MustCreate()->Report("v7").ok());
  const v1::SubmitRequest request = Last();
  EXPECT_EQ(request.part(), 1u);
  EXPECT_THAT(request.key_id(), IsEmpty());
  EXPECT_THAT(request.report_counts(), IsEmpty());
  EXPECT_THAT(request.sealed_reports(), IsEmpty());
  EXPECT_THAT(NodesOf(request), ElementsAre(1, 2, 4, 8));
  std::vector<Cells> said;
  for (const v1::NodeGroup& group : request.groups()) {
    said.push_back(Opened(group, group.node()));
    ASSERT_EQ(group.report_counts_size(), 1);
    EXPECT_EQ(said.back().size(), group.report_counts(0));
    EXPECT_THAT(said.back(), Contains(7)) << "in each node";
  }
  EXPECT_NE(said[0], said[1]) << "with noise of its own";
}

TEST_F(SessionStreamTest, AGroupOpensAsOneOfItsNodeAlone) {
  ASSERT_TRUE(MustCreate()->Report("v7").ok());
  const v1::NodeGroup group = Last().groups(1);
  EXPECT_THAT(Opened(group, 2), Not(IsEmpty()));
  for (const uint64_t other : {0, 1, 4, 8}) EXPECT_THAT(Opened(group, other), IsEmpty());
}

// Over all nodes of one period a node's noise is the share that its own mechanism says.
TEST_F(SessionStreamTest, EachNodeHasTheNoiseOfItsOwnMechanism) {
  std::vector<std::string> values(50, "v3");
  ASSERT_TRUE(MustCreate()->ReportMany(values).ok());
  std::vector<double> reports(9);
  for (const v1::SubmitRequest& request : shuffler_->requests()) {
    for (const v1::NodeGroup& group : request.groups()) {
      for (const uint32_t count : group.report_counts()) reports[group.node()] += count;
    }
  }
  // 160 dummies on average where a node is of one period, and 160 / n where it is of n. A Poisson
  // number of mean 1,000 or more is off by 6 standard errors or more with probability at most
  // 6e-8, by Chernoff's bound, so that a right client fails with probability at most 2.4e-7.
  for (const auto& [node, expected] : {std::pair(1, 160.), {2, 80.}, {4, 40.}, {8, 20.}}) {
    EXPECT_NEAR(reports[static_cast<size_t>(node)] / 50 - 1, expected, 6 * std::sqrt(expected / 50))
        << node;
  }
}

TEST_F(SessionStreamTest, NodesThatOpenBringTheirKeysAndOthersKeepTheirs) {
  UseStream([](v1::Task* task) { task->set_submissions_per_device(8); });
  const auto session = MustCreate();
  for (uint64_t period = 1; period <= 8; ++period) {
    ToPeriod(period);
    ASSERT_TRUE(session->Report("v7").ok()) << period;
    const v1::SubmitRequest request = Last();
    EXPECT_EQ(request.part(), period);
    EXPECT_EQ(NodesOf(request), task_->nodes()->Cover(period));
    for (const v1::NodeGroup& group : request.groups()) {
      EXPECT_THAT(Opened(group, group.node()), Contains(7));
    }
  }
}

TEST_F(SessionStreamTest, AKeyThatIsNotThereYetIsFetchedWhenItsNodeOpens) {
  shuffler_->ServeKeys(SignedKeys(6, KeysOf({1, 2, 4, 8})));
  const auto session = MustCreate();
  ToPeriod(3);
  const absl::Status missing = session->Report("v7");
  EXPECT_TRUE(absl::IsFailedPrecondition(missing)) << missing;
  EXPECT_THAT(std::string(missing.message()), HasSubstr("no key that is valid now for node 3"));
  EXPECT_THAT(shuffler_->requests(), IsEmpty());
  shuffler_->ServeKeys(SignedKeys(7, KeysOf({3, 4, 8})));
  EXPECT_TRUE(session->Report("v7").ok()) << "nothing was spent";
  EXPECT_THAT(NodesOf(Last()), ElementsAre(3, 4, 8));
}

TEST_F(SessionStreamTest, AGeneralKeyOrOneOfAnotherStreamIsNotSealedTo) {
  shuffler_->ServeKeys(SignedKeys(6, KeysOf({})));
  EXPECT_TRUE(absl::IsFailedPrecondition(Create().status()));
  std::vector<KeyLife> others = KeysOf({1, 2, 4, 8});
  for (KeyLife& key : others) {
    if (key.task.has_value()) key.task = TaskId{1};
  }
  shuffler_->ServeKeys(SignedKeys(7, others));
  EXPECT_TRUE(absl::IsFailedPrecondition(Create().status()));
}

TEST_F(SessionStreamTest, AKeyThatIsNotForAllOfItsNodeIsRefused) {
  for (const bool late : {false, true}) {
    std::vector<KeyLife> keys = KeysOf({1, 2, 4, 8});
    KeyLife& of_eight = keys.back();
    if (late) {
      of_eight.not_before = task_->not_before() + absl::Seconds(1);
      clock_->Advance(absl::Hours(24));
    } else {
      of_eight.not_after = task_->not_after() - absl::Seconds(1);
    }
    shuffler_->ServeKeys(SignedKeys(late ? 7 : 6, keys));
    const absl::Status status = Create().status();
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("node 8 is not for all of it"));
  }
}

TEST_F(SessionStreamTest, AfterACrashTheVerySameGroupsGoOutAgain) {
  shuffler_->LoseAnswers(kForEver);
  EXPECT_TRUE(absl::IsUnavailable(MustCreate()->Report("v7")));
  const std::string first = shuffler_->requests().front().SerializeAsString();
  shuffler_->LoseAnswers(0);
  ASSERT_TRUE(MustCreate()->Flush().ok());
  EXPECT_EQ(shuffler_->stored(), 1u);
  for (const v1::SubmitRequest& request : shuffler_->requests()) {
    EXPECT_EQ(request.SerializeAsString(), first);
  }
}

TEST_F(SessionStreamTest, WhatWasNotDeliveredInItsPeriodIsRefusedAndSpent) {
  UseStream([](v1::Task* task) { task->set_submissions_per_device(2); });
  shuffler_->FailSubmit(kForEver, absl::UnavailableError("away"));
  EXPECT_TRUE(absl::IsUnavailable(MustCreate()->Report("v7")));
  const std::string first = Last().SerializeAsString();
  ToPeriod(2);
  shuffler_->FailSubmit(1, absl::FailedPreconditionError("period 1 is over"));
  ASSERT_TRUE(MustCreate()->Report("v7").ok());
  const auto requests = shuffler_->requests();
  EXPECT_EQ(requests[requests.size() - 2].SerializeAsString(), first) << "never of a later period";
  EXPECT_EQ(Last().part(), 2u);
  ToPeriod(3);
  EXPECT_THAT(std::string(MustCreate()->Report("v7").message()), HasSubstr("all of its 2"));
}

TEST_F(SessionStreamTest, ADeviceReportsInAsManyPeriodsAsTheTaskAllowsAndOnceInEach) {
  UseStream([](v1::Task* task) { task->set_submissions_per_device(2); });
  ASSERT_TRUE(MustCreate()->Report("v7").ok());
  EXPECT_THAT(std::string(MustCreate()->Report("v7").message()),
              HasSubstr("submission of period 1 already"));
  ToPeriod(5);
  ASSERT_TRUE(MustCreate()->Report("v7").ok());
  ToPeriod(6);
  EXPECT_THAT(std::string(MustCreate()->Report("v7").message()), HasSubstr("all of its 2"));
  EXPECT_EQ(shuffler_->stored(), 2u);
}

TEST_F(SessionStreamTest, TooEarlyAndTooLateNothingIsSentAndWhatWaitsStillGoesOut) {
  shuffler_->FailSubmit(kForEver, absl::UnavailableError("away"));
  EXPECT_TRUE(absl::IsUnavailable(MustCreate()->Report("v7")));
  const size_t sent = shuffler_->requests().size();
  clock_->Advance(task_->not_after() - clock_->Now());
  shuffler_->ServeKeys(SignedKeys(6, KeysOf({})));
  const auto late = MustCreate();
  EXPECT_THAT(std::string(late->Report("v7").message()), HasSubstr("not open"));
  EXPECT_EQ(shuffler_->requests().size(), sent);
  shuffler_->FailSubmit(0, absl::OkStatus());
  EXPECT_TRUE(late->Flush().ok());

  UseStream(nullptr);
  options_.ledger_directory = scratch_.In("another");
  clock_->Advance(task_->not_before() - absl::Hours(1) - clock_->Now());
  shuffler_->ServeKeys(SignedKeys(6, KeysOf({}), TestCollectorKey(), clock_->Now()));
  const auto early = MustCreate();
  EXPECT_THAT(std::string(early->Report("v7").message()), HasSubstr("not open"));
  EXPECT_THAT(shuffler_->requests(), IsEmpty());
}

TEST_F(SessionStreamTest, ManyDevicesShareACallAndEachHasItsGroups) {
  const auto outcome = MustCreate()->ReportMany(std::vector<std::string>{"v1", "v2", "none", "v3"});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->accepted, 3);
  EXPECT_EQ(outcome->rejected, 1);
  const v1::SubmitRequest request = Last();
  EXPECT_EQ(request.submission_ids().size(), 3 * sizeof(SubmissionId));
  ASSERT_EQ(NodesOf(request), task_->nodes()->Cover(1));
  for (const v1::NodeGroup& group : request.groups()) {
    const Cells all = Opened(group, group.node());
    ASSERT_EQ(group.report_counts_size(), 3);
    size_t at = 0;
    for (int device = 0; device < 3; ++device) {
      const size_t end = at + group.report_counts(device);
      ASSERT_LE(end, all.size());
      const Cells own(all.begin() + static_cast<std::ptrdiff_t>(at),
                      all.begin() + static_cast<std::ptrdiff_t>(end));
      EXPECT_THAT(own, Contains(device + 1)) << "node " << group.node();
      at = end;
    }
    EXPECT_EQ(at, all.size());
  }
}

// What an observer of the line sees of a device's life is the same whatever it holds.
TEST_F(SessionStreamTest, GroupsAndTheirSizesDoNotDependOnTheValue) {
  UseStream([](v1::Task* task) { task->set_submissions_per_device(3); });
  const auto life_of = [&](const std::string& value) {
    options_.ledger_directory = scratch_.In("ledger-of-" + value);
    seed_ = 1;
    const size_t before = shuffler_->requests().size();
    for (const uint64_t period : {1, 3, 8}) {
      ToPeriod(period);
      EXPECT_TRUE(MustCreate()->Report(value).ok());
    }
    std::vector<std::string> life;
    const auto requests = shuffler_->requests();
    for (size_t i = before; i < requests.size(); ++i) {
      for (const v1::NodeGroup& group : requests[i].groups()) {
        life.push_back(absl::StrCat(requests[i].part(), " ", group.node(), " ",
                                    group.report_counts(0), " ", group.sealed_reports().size()));
      }
    }
    return life;
  };
  const std::vector<std::string> first = life_of("v0");
  EXPECT_EQ(first.size(), 4u + 3u + 1u);
  for (const char* value : {"v1", "v19"}) EXPECT_EQ(life_of(value), first) << value;
}

TEST_F(SessionStreamTest, AStreamWithTooLittleNoiseForItsPromiseIsRefusedInTheWeakPeriod) {
  // One dummy a value in node 3, which covers the third day alone.
  UseStream([](v1::Task* task) {
    task->mutable_stream()
        ->mutable_nodes(2)
        ->mutable_mechanism()
        ->mutable_pure_dump()
        ->mutable_dummies()
        ->set_rate((uint64_t{20} << 40) / 5);
  });
  const auto session = MustCreate();
  ToPeriod(3);
  const absl::Status weak = session->Report("v7");
  EXPECT_TRUE(absl::IsFailedPrecondition(weak)) << weak;
  EXPECT_THAT(std::string(weak.message()), HasSubstr("a submission of period 3 has delta"));
  EXPECT_THAT(shuffler_->requests(), IsEmpty());
  EXPECT_TRUE(absl::IsFailedPrecondition(Create().status())) << "nor is a new session made then";
  ToPeriod(4);
  EXPECT_TRUE(session->Report("v7").ok());
}

}  // namespace
}  // namespace tombola::client
