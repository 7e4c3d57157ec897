// How a kind fits in, shown by one that no release has: what it must bring, and the way of a record
// from the device to an answer.
//
// A device of the toy holds a value and tells, by the toss of a coin, either the value or only its
// group of four: one of two tables, drawn by the device. It comes from registries that are passed
// as arguments; one of a release would be a line in each of the lists that every_list_test.cc
// walks. The wire has no words for a toy, so that it goes by the histogram's name, and its answer
// is a histogram of groups and values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/encode/submission.h"
#include "client/place/placer.h"
#include "collector/aggregate/counts.h"
#include "collector/aggregate/tables_aggregator.h"
#include "collector/answer/registry.h"
#include "collector/catalog/catalog.h"
#include "collector/estimate/estimator.h"
#include "collector/query/answers.h"
#include "collector/store/sqlite_ledger.h"
#include "common/base/status_macros.h"
#include "common/crypto/hpke_suite.h"
#include "common/json/answer.h"
#include "common/kind/kinds.h"
#include "common/mechanism/grr.h"
#include "common/mechanism/registry.h"
#include "common/task/task.h"
#include "tests/support/fake_clock.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola {
namespace {

using mechanism::Cells;
using mechanism::Mechanism;
using mechanism::Tables;

// 1. common/scheme: what the task guarantees. Which table a device fills depends on nothing that it
// holds, so that a submission alone hides what the weaker of the two mechanisms hides. The toy
// counts on no more; a real one would ask the accountant what the others in the batch add.
class ToyScheme final : public mechanism::Scheme {
 public:
  ToyScheme(std::shared_ptr<const Mechanism> groups, std::shared_ptr<const Mechanism> values)
      : groups_(std::move(groups)), values_(std::move(values)), tables_({groups_, values_}) {}

  absl::string_view name() const override { return "toy"; }
  mechanism::Parameters parameters() const override { return {}; }
  size_t report_bytes() const override { return tables_.report_bytes(); }
  int64_t max_reports_per_submission() const override { return 1; }
  double expected_reports_per_submission() const override { return 1; }
  void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const override {
    const size_t table = UniformBelow(2, random);
    std::fill(report.begin(), report.end(), uint8_t{0});
    report[0] = static_cast<uint8_t>(table);
    tables_[table]->DrawFake(random, report.subspan(1, tables_[table]->report_bytes()));
  }
  double local_epsilon() const override {
    return std::max(groups_->local_epsilon(), values_->local_epsilon());
  }
  absl::StatusOr<double> Delta(int64_t, double epsilon) const override {
    return epsilon >= local_epsilon() ? 0 : 1;
  }
  absl::StatusOr<double> EpsilonAt(int64_t, double) const override { return local_epsilon(); }
  absl::StatusOr<int64_t> SmallestHonest(double epsilon, double) const override {
    if (epsilon >= local_epsilon()) return 1;
    return absl::FailedPreconditionError("epsilon is below the local epsilon");
  }

  const Tables& tables() const { return tables_; }

 private:
  std::shared_ptr<const Mechanism> groups_;
  std::shared_ptr<const Mechanism> values_;
  Tables tables_;
};

// 2. common/kind: which tables there are, read from the task.
class Toy final : public Kind {
 public:
  static constexpr absl::string_view kName = "histogram";
  static constexpr auto kNumber = static_cast<v1::Kind>(1000);
  static constexpr uint64_t kGroup = 4;

  static absl::StatusOr<std::shared_ptr<const Kind>> Read(const v1::Task& task) {
    const auto values = static_cast<int64_t>(task.domain().size());
    if (values % kGroup != 0) {
      return absl::InvalidArgumentError("task.domain.size must be a multiple of 4");
    }
    TOMBOLA_ASSIGN_OR_RETURN(auto fine, mechanism::FromProto(task.mechanism(), values));
    TOMBOLA_ASSIGN_OR_RETURN(auto coarse,
                             mechanism::Grr::Create({.blanket_threshold = uint64_t{3} << 62,
                                                     .domain_size = values / int64_t{kGroup}}));
    return std::make_shared<const Toy>(std::make_shared<const ToyScheme>(
        std::make_shared<const mechanism::Grr>(std::move(coarse)), std::move(fine)));
  }

  explicit Toy(const std::shared_ptr<const ToyScheme>& scheme)
      : tables_(scheme->tables()), scheme_(scheme) {}

  absl::string_view name() const override { return kName; }
  const Tables& tables() const override { return tables_; }
  const std::shared_ptr<const mechanism::Scheme>& scheme() const override { return scheme_; }
  // A submission is one report, of either table.
  mechanism::Tally TallyOf(size_t, const mechanism::Tally&, int64_t reports) const override {
    return {.submissions = reports};
  }
  double PredictedMse(int64_t submissions) const override {
    return mechanism::AverageSquaredError(tables_[1]->count_model(), tables_[1]->domain_size(),
                                          {.submissions = (submissions + 1) / 2});
  }

 private:
  Tables tables_;
  std::shared_ptr<const mechanism::Scheme> scheme_;
};

// 3. client/place: a record becomes cells.
class ToyPlacer final : public client::Placer {
 public:
  static std::unique_ptr<client::Placer> Make(std::shared_ptr<const Task> task) {
    return std::make_unique<ToyPlacer>(std::move(task));
  }
  explicit ToyPlacer(std::shared_ptr<const Task> task) : task_(std::move(task)) {}

  absl::StatusOr<Cells> Place(const client::RecordView& record,
                              RandomSource& random) const override {
    TOMBOLA_ASSIGN_OR_RETURN(const uint64_t value,
                             task_->domain().IndexOf(std::get<absl::string_view>(record)));
    const size_t table = UniformBelow(2, random);
    return Cells{{.table = table, .index = table == 0 ? value / Toy::kGroup : value}};
  }

 private:
  std::shared_ptr<const Task> task_;
};

// 4. collector/answer: counts become a body, of rows for the groups and then for the values, each
// from its own table. What every answer says stands around it without the kind's doing; so do JSON
// and CSV, to which a kind brings the form of its body (common/json).
class ToyAnswerer final : public collector::Answerer {
 public:
  absl::string_view kind() const override { return Toy::kName; }
  void AskLeast(v1::GetAnswerRequest*) const override {}
  absl::StatusOr<int64_t> Bytes(const Task& task, const v1::GetAnswerRequest&,
                                collector::AnswerForm) const override {
    return 1000 * task.domain().size();
  }
  absl::Status Fill(const collector::Evidence& evidence, const v1::GetAnswerRequest&,
                    collector::Postprocess, v1::Answer* answer) const override {
    for (size_t table = 0; table < evidence.counts.tables.size(); ++table) {
      TOMBOLA_RETURN_IF_ERROR(AddRows(evidence, table, answer->mutable_histogram()));
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status AddRows(const collector::Evidence& evidence, size_t table,
                              v1::Histogram* body) {
    const Kind& kind = evidence.task.kind();
    const collector::TableCounts& counted = evidence.counts.tables[table];
    const collector::Estimator estimator(*kind.tables()[table]);
    TOMBOLA_ASSIGN_OR_RETURN(
        const collector::Estimates estimates,
        estimator.Estimate(counted.counts, kind.TallyOf(table, evidence.tally, counted.reports)));
    for (size_t cell = 0; cell < estimates.raw.size(); ++cell) {
      body->add_values(static_cast<uint64_t>(body->values_size()));
      body->add_labels(table == 0 ? absl::StrCat("group ", cell)
                                  : evidence.task.domain().NameOf(cell));
      body->add_frequencies(estimates.raw[cell]);
      body->add_raw(estimates.raw[cell]);
      body->add_standard_errors(estimates.standard_errors[cell]);
      body->add_low(estimates.raw[cell] - 6 * estimates.standard_errors[cell]);
      body->add_high(estimates.raw[cell] + 6 * estimates.standard_errors[cell]);
    }
    return absl::OkStatus();
  }
};

const Kinds& WithToy() {
  static const Kinds& kinds = *new Kinds({{Toy::kNumber, Toy::kName, &Toy::Read}});
  return kinds;
}

const client::Placers& ToyPlacers() {
  static const client::Placers& placers = *new client::Placers({{Toy::kName, &ToyPlacer::Make}});
  return placers;
}

const collector::Answerers& ToyAnswerers() {
  static const collector::Answerers& answerers = *[] {
    std::vector<std::unique_ptr<const collector::Answerer>> entries;
    entries.push_back(std::make_unique<ToyAnswerer>());
    return new collector::Answerers(std::move(entries));
  }();
  return answerers;
}

v1::Task ToyProto() {
  v1::Task proto = TestTaskProto();
  proto.set_kind(Toy::kNumber);
  return proto;
}

absl::Span<const uint8_t> AsSpan(const std::string& bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

class ToyKindTest : public ::testing::Test {
 protected:
  const std::shared_ptr<const Task> task_ =
      Task::Parse(ToyProto().SerializeAsString(), WithToy()).value();
  const Tables& tables_ = task_->kind().tables();

  // The answer of a collector that has counted one batch of so many submissions.
  v1::Answer AnswerOf(const collector::Counts& counts, int64_t submissions) {
    const auto catalog = *collector::Catalog::Open(":memory:");
    const auto ledger = *collector::SqliteLedger::Open(":memory:");
    EXPECT_TRUE(catalog->Add(task_).ok());
    collector::BatchRecord batch;
    batch.of.task = task_->id();
    batch.state = collector::BatchState::kCounted;
    batch.users = batch.good = batch.tally.submissions = submissions;
    batch.counts = counts;
    EXPECT_TRUE(ledger->Add(batch).ok());
    Metrics metrics;
    collector::AnswerMetrics answer_metrics(metrics);
    FairShare budget({.calls = 1, .bytes = int64_t{1} << 20, .retry = absl::Seconds(1)});
    const FakeClock clock(TestTaskStart() + absl::Hours(1));
    collector::Answers answers(catalog.get(), ledger.get(), &budget, &answer_metrics, &clock,
                               &ToyAnswerers());
    v1::GetAnswerRequest request;
    request.set_task_id(std::string(AsView(task_->id())));
    request.set_confidence(0.95);
    request.set_postprocess(v1::POSTPROCESS_NONE);
    request.mutable_histogram();
    EXPECT_TRUE(answers.Admit(request, collector::AnswerForm::kText).ok());
    v1::Answer answer;
    const absl::Status filled = answers.Fill(request, &answer);
    EXPECT_TRUE(filled.ok()) << filled;
    return answer;
  }
};

TEST_F(ToyKindTest, IsReadWhereItIsKnownAndRefusedElsewhere) {
  EXPECT_EQ(task_->scheme()->name(), "toy");
  EXPECT_EQ(tables_.size(), 2u);
  EXPECT_EQ(Task::Parse(ToyProto().SerializeAsString()).status().message(),
            "task.kind must be histogram (1), set (2), key_value (3), number (4), records (5), "
            "stream (6), strings (7)");
  v1::Task uneven = ToyProto();
  uneven.mutable_domain()->clear_labels();
  uneven.mutable_domain()->set_size(21);
  EXPECT_EQ(Task::Parse(uneven.SerializeAsString(), WithToy()).status().message(),
            "task.domain.size must be a multiple of 4");
}

// Who holds, releases and judges batches asks the scheme, and knows nothing of tables.
TEST_F(ToyKindTest, TheSchemeIsAllThatOthersSee) {
  const mechanism::Scheme& scheme = *task_->scheme();
  EXPECT_EQ(scheme.report_bytes(), 11u);  // the table's number, and the longer of 5 and 10 bytes
  EXPECT_EQ(task_->sealed_bytes(), 11 + crypto::kHpkeOverhead);
  EXPECT_EQ(NeededSubmissions(*task_).value(), task_->batch_policy().smallest_batch);
  collector::TablesAggregator aggregator(tables_);
  SeededRandom random(1);
  std::string fakes(100 * scheme.report_bytes(), '\0');
  const auto bytes = absl::MakeSpan(reinterpret_cast<uint8_t*>(fakes.data()), fakes.size());
  for (size_t at = 0; at < bytes.size(); at += 11) scheme.DrawFake(random, bytes.subspan(at, 11));
  EXPECT_EQ(aggregator.AddAll(bytes).counted, 100);
}

// Of 40,000 devices one half holds v3 and the others any value alike. Every estimate is within six
// of its standard errors, up to their own estimation; of 25 normal estimates one is not with
// probability 5e-8.
TEST_F(ToyKindTest, ARecordGoesAllTheWayToAnAnswer) {
  constexpr int kDevices = 40000;
  const auto placer = ToyPlacers().Make(task_);
  const client::SubmissionEncoder encoder(tables_);
  SeededRandom random(2);
  // Two threads of the collector, each with its own counts.
  std::array<std::string, 2> reports;
  for (int device = 0; device < kDevices; ++device) {
    const std::string record = device % 2 == 0 ? "v3" : absl::StrCat("v", device / 2 % 20);
    const Cells cells = placer->Place(absl::string_view(record), random).value();
    EXPECT_EQ(encoder.Encode(cells, random, &reports[device % 3 == 0]), 1);
  }
  collector::Counts counts;
  for (const std::string& part : reports) {
    collector::TablesAggregator aggregator(tables_);
    EXPECT_EQ(aggregator.AddAll(AsSpan(part)).counted, static_cast<int64_t>(part.size() / 11));
    ASSERT_TRUE(counts.Merge(std::move(aggregator).Finish()).ok());
  }
  EXPECT_EQ(counts.tables[0].reports + counts.tables[1].reports, kDevices);
  // What the ledger keeps is bytes.
  counts = collector::CountsFromBytes(ToBytes(counts)).value();

  const v1::Answer answer = AnswerOf(counts, kDevices);
  const v1::Histogram& body = answer.histogram();
  ASSERT_EQ(body.values_size(), 25);
  for (int row = 0; row < 25; ++row) {
    const bool group = row < 5;
    const double truth = (group ? 0.1 : 0.025) + (row == 0 || row == 5 + 3 ? 0.5 : 0);
    EXPECT_NEAR(body.raw(row), truth, 6 * body.standard_errors(row)) << body.labels(row);
  }
  // What every answer says, of all tables: a device can tell its lie to either, and a group of
  // fewer devices is moved the further.
  EXPECT_EQ(answer.reports(), static_cast<uint64_t>(kDevices));
  EXPECT_EQ(answer.guarantee().epsilon(), task_->scheme()->local_epsilon());
  double shift = 0;
  for (size_t i = 0; i < 2; ++i) {
    shift = std::max(shift, 1 / (static_cast<double>(counts.tables[i].reports) *
                                 mechanism::Signal(tables_[i]->count_model())));
  }
  EXPECT_DOUBLE_EQ(answer.quality().shift_per_dishonest(), shift);
  // All are honest; a false alarm has probability 1e-6 at most.
  EXPECT_EQ(answer.quality().warnings_size(), 0);
  const Json json = Json::parse(AnswerJson(answer));
  EXPECT_EQ(json["bins"].size(), 25u);
  EXPECT_EQ(json["bins"][8]["value"], "v3");
  EXPECT_EQ(json["reports"], kDevices);
  EXPECT_THAT(AnswerCsv(answer),
              testing::StartsWith("value,frequency,raw,stderr,low,high\r\ngroup 0,"));
}

// A count far above what all devices together could make is told of whichever table has it.
TEST_F(ToyKindTest, EveryTableIsLookedAt) {
  collector::Counts counts;
  counts.tables = {{.reports = 1000, .counts = std::vector<int64_t>(5, 200)},
                   {.reports = 1000, .counts = std::vector<int64_t>(20, 50)}};
  counts.tables[0].counts[4] = 5000;
  const v1::Answer answer = AnswerOf(counts, 2000);
  ASSERT_GE(answer.quality().warnings_size(), 1);
  EXPECT_EQ(answer.quality().warnings(0).kind(), "values");
  EXPECT_THAT(answer.quality().warnings(0).text(), testing::StartsWith("Table 1: Value number 4 "));
  counts.tables[0].counts[4] = 200;
  counts.tables[1].counts[7] = 5000;
  EXPECT_THAT(AnswerOf(counts, 2000).quality().warnings(0).text(),
              testing::StartsWith("Table 2: Value number 7 "));
}

TEST_F(ToyKindTest, BadReportsHarmOnlyThemselves) {
  const client::SubmissionEncoder encoder(tables_);
  SeededRandom random(3);
  std::string good;
  encoder.Encode({{.table = 0, .index = 4}}, random, &good);
  ASSERT_EQ(good.size(), 11u);
  std::string unknown = good, longer = good, broken = good;
  unknown[0] = 2;     // no such table
  longer[10] = 1;     // not padded with zeros
  broken[1] ^= 0x40;  // no report of the table
  collector::TablesAggregator aggregator(tables_);
  const collector::AddedReports added =
      aggregator.AddAll(AsSpan(good + unknown + longer + broken + good));
  EXPECT_EQ(added.counted, 2);
  EXPECT_EQ(added.rejected.out_of_range, 1);
  EXPECT_EQ(added.rejected.malformed, 2);
  const collector::Counts counts = std::move(aggregator).Finish();
  EXPECT_EQ(counts.tables[0].reports, 2);
  EXPECT_EQ(counts.tables[1].reports, 0);
}

// Cells of several tables: no place among the reports tells which is whose. The first of two is of
// the first table with probability 1/2; 10,000 times, six standard deviations: 2e-9.
TEST_F(ToyKindTest, ReportsOfSeveralTablesComeInRandomOrder) {
  const client::SubmissionEncoder encoder(tables_);
  SeededRandom random(4);
  int first = 0;
  for (int i = 0; i < 10000; ++i) {
    std::string reports;
    ASSERT_EQ(
        encoder.Encode({{.table = 0, .index = 1}, {.table = 1, .index = 7}}, random, &reports), 2);
    ASSERT_EQ(reports[0] + reports[11], 1);
    first += reports[0] == 0;
  }
  EXPECT_NEAR(first, 5000, 300);
}

}  // namespace
}  // namespace tombola
