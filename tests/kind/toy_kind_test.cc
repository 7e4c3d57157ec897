// How a kind fits in, shown by one that no release has: what it must bring, and the way of a record
// from the device to an answer.
//
// A device of the toy holds a value and tells, by the toss of a coin, either the value or only its
// group of four: one of two tables, drawn by the device. It comes from registries that are passed
// as arguments; one of a release would be a line in Kinds::BuiltIn and in Placers::BuiltIn.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/encode/submission.h"
#include "client/place/placer.h"
#include "collector/aggregate/counts.h"
#include "collector/aggregate/tables_aggregator.h"
#include "collector/estimate/estimator.h"
#include "common/base/status_macros.h"
#include "common/crypto/hpke_suite.h"
#include "common/kind/kinds.h"
#include "common/mechanism/grr.h"
#include "common/mechanism/registry.h"
#include "common/task/task.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola {
namespace {

using mechanism::Cell;
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
  static constexpr absl::string_view kName = "toy";
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

  absl::StatusOr<Cells> Place(absl::string_view record, RandomSource& random) const override {
    TOMBOLA_ASSIGN_OR_RETURN(const uint64_t value, task_->domain().IndexOf(record));
    const size_t table = UniformBelow(2, random);
    return Cells{{.table = table, .index = table == 0 ? value / Toy::kGroup : value}};
  }

 private:
  std::shared_ptr<const Task> task_;
};

// 4. Behind the estimator: the shares of groups and of values, each from its own table.
struct ToyAnswer {
  std::vector<double> groups, values;
  std::vector<double> group_errors, value_errors;
};

absl::StatusOr<ToyAnswer> AnswerToy(const Kind& kind, const collector::Counts& counts) {
  std::array<collector::Estimates, 2> estimates;
  for (size_t i = 0; i < estimates.size(); ++i) {
    const collector::TableCounts& table = counts.tables[i];
    TOMBOLA_ASSIGN_OR_RETURN(
        estimates[i], collector::Estimator(*kind.tables()[i])
                          .Estimate(table.counts, {.submissions = table.reports, .fakes = 0}));
  }
  return ToyAnswer{.groups = estimates[0].raw,
                   .values = estimates[1].raw,
                   .group_errors = estimates[0].standard_errors,
                   .value_errors = estimates[1].standard_errors};
}

const Kinds& WithToy() {
  static const Kinds& kinds = *new Kinds({{Toy::kNumber, Toy::kName, &Toy::Read}});
  return kinds;
}

const client::Placers& ToyPlacers() {
  static const client::Placers& placers = *new client::Placers({{Toy::kName, &ToyPlacer::Make}});
  return placers;
}

v1::Task ToyProto() {
  v1::Task proto = TestTaskProto();
  proto.set_kind(Toy::kNumber);
  return proto;
}

absl::Span<const uint8_t> AsSpan(const std::string& bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

// Of every release: each kind of the wire can be read, and its records placed.
TEST(BuiltInKindsTest, StandInEveryList) {
  std::vector<int> wire, known;
  const auto* kinds = v1::Kind_descriptor();
  for (int i = 0; i < kinds->value_count(); ++i) {
    if (kinds->value(i)->number() != 0) wire.push_back(kinds->value(i)->number());
  }
  std::vector<std::string> read, placed;
  for (const Kinds::Entry& entry : Kinds::BuiltIn().entries()) {
    known.push_back(entry.number);
    read.emplace_back(entry.name);
  }
  for (const auto& entry : client::Placers::BuiltIn().entries()) placed.emplace_back(entry.kind);
  EXPECT_EQ(known, wire);
  EXPECT_EQ(placed, read);
}

class ToyKindTest : public ::testing::Test {
 protected:
  const std::shared_ptr<const Task> task_ =
      Task::Parse(ToyProto().SerializeAsString(), WithToy()).value();
  const Tables& tables_ = task_->kind().tables();
};

TEST_F(ToyKindTest, IsReadWhereItIsKnownAndRefusedElsewhere) {
  EXPECT_EQ(task_->kind().name(), "toy");
  EXPECT_EQ(tables_.size(), 2u);
  EXPECT_EQ(Task::Parse(ToyProto().SerializeAsString()).status().message(),
            "task.kind must be histogram (1)");
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
    const Cells cells = placer->Place(record, random).value();
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

  const ToyAnswer answer = AnswerToy(task_->kind(), counts).value();
  for (size_t value = 0; value < 20; ++value) {
    const double truth = 0.025 + (value == 3 ? 0.5 : 0);
    EXPECT_NEAR(answer.values[value], truth, 6 * answer.value_errors[value]) << value;
  }
  for (size_t group = 0; group < 5; ++group) {
    const double truth = 0.1 + (group == 0 ? 0.5 : 0);
    EXPECT_NEAR(answer.groups[group], truth, 6 * answer.group_errors[group]) << group;
  }
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
  EXPECT_EQ(added.out_of_range, 1);
  EXPECT_EQ(added.malformed, 2);
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
