// Honest devices raise no warning but for the stated probability; floods do.
#include "collector/quality/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "client/encode/encoder.h"
#include "client/encode/test_mechanisms.h"
#include "collector/aggregate/aggregator.h"
#include "common/table/value_report.h"
#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

using mechanism::HashFamily;
using mechanism::LocalHash;
using mechanism::Mechanism;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int64_t kDomain = 12;
constexpr int64_t kHonest = 500;

template <typename Report>
std::string Bytes(const Report& report) {
  std::string bytes(Report::kBytes, '\0');
  mechanism::Write(report, absl::MakeSpan(reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()));
  return bytes;
}

testing::Matcher<const Warning&> Of(const std::string& kind) { return Field(&Warning::kind, kind); }

// Submissions of one batch, and what they are judged to be.
class Batch {
 public:
  Batch(std::shared_ptr<const Mechanism> mechanism, uint64_t seed)
      : mechanism_(std::move(mechanism)),
        encoder_(client::MakeEncoder(mechanism_)),
        aggregator_(MakeAggregator(mechanism_)),
        random_(seed) {}

  void AddHonest(uint64_t value) {
    std::string reports;
    encoder_->Encode(value, random_, &reports);
    AddSubmission(reports);
  }
  void AddSubmission(const std::string& reports) {
    ++submissions_;
    messages_ += Count(reports);
  }
  std::vector<Warning> Judge(double false_alarm = kFalseAlarm) {
    std::string fakes(static_cast<size_t>(mechanism_->fakes()) * mechanism_->report_bytes(), '\0');
    const auto all = absl::MakeSpan(reinterpret_cast<uint8_t*>(fakes.data()), fakes.size());
    for (size_t at = 0; at < all.size(); at += mechanism_->report_bytes()) {
      mechanism_->DrawFake(random_, all.subspan(at, mechanism_->report_bytes()));
    }
    Count(fakes);
    const mechanism::Tally tally{.submissions = submissions_, .fakes = mechanism_->fakes()};
    return Warnings(*mechanism_,
                    {.tally = tally,
                     .messages = messages_,
                     .tables = {{.table = *mechanism_,
                                 .tally = tally,
                                 .counts = aggregator_->counts(),
                                 .hashes = aggregator_->hashes()}}},
                    false_alarm);
  }
  SeededRandom& random() { return random_; }

 private:
  int64_t Count(const std::string& reports) {
    const size_t bytes = mechanism_->report_bytes();
    const auto all =
        absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(reports.data()), reports.size());
    for (size_t at = 0; at < all.size(); at += bytes) {
      EXPECT_EQ(aggregator_->Add(all.subspan(at, bytes)), mechanism::ReportState::kValid);
    }
    return static_cast<int64_t>(all.size() / bytes);
  }

  std::shared_ptr<const Mechanism> mechanism_;
  std::unique_ptr<client::Encoder> encoder_;
  std::unique_ptr<Aggregator> aggregator_;
  SeededRandom random_;
  int64_t submissions_ = 0;
  int64_t messages_ = 0;
};

class HonestTest : public ::testing::TestWithParam<std::shared_ptr<const Mechanism>> {
 protected:
  // How many of so many honest batches are warned of, all devices holding one value, or none in
  // particular.
  int Alarms(int batches, double false_alarm, uint64_t seed) {
    int alarms = 0;
    for (int i = 0; i < batches; ++i) {
      Batch batch(GetParam(), seed + static_cast<uint64_t>(i));
      for (int64_t device = 0; device < kHonest; ++device) {
        batch.AddHonest(i % 2 == 0 ? static_cast<uint64_t>(i / 2) % kDomain
                                   : static_cast<uint64_t>(device) % kDomain);
      }
      alarms += !batch.Judge(false_alarm).empty();
    }
    return alarms;
  }
};

// Seven mechanisms with 40 batches each: a false alarm with probability 2.8e-4 at most.
TEST_P(HonestTest, RaiseNoWarning) { EXPECT_EQ(Alarms(40, kFalseAlarm, 100), 0); }

// At a half, 200 batches alarm 100 times at most on average; more than 150 times with probability
// exp(-200 KL(3/4 || 1/2)) = 5e-12 at most.
TEST_P(HonestTest, AlarmNoMoreOftenThanIsStated) { EXPECT_LE(Alarms(200, 0.5, 1000), 150); }

INSTANTIATE_TEST_SUITE_P(All, HonestTest,
                         ::testing::ValuesIn(client::EveryMechanism(kDomain, kHonest)),
                         client::MechanismName<::testing::TestParamInfo<HonestTest::ParamType>>);

std::shared_ptr<const LocalHash> Hashing(HashFamily family, uint64_t range, double gamma) {
  const uint32_t lane_bits = family == HashFamily::kPlane ? 0 : 32;
  return std::make_shared<const LocalHash>(
      LocalHash::Create({family, range, client::TestThreshold(gamma), lane_bits, kDomain}).value());
}

// The floods below are so large that the expected surprise is twice the limit or more. A count
// would have to be six deviations from its mean to hide one.
TEST(FloodTest, OneReportRepeatedIsSeenInItsFunction) {
  Batch batch(Hashing(HashFamily::kPlane, 17, 0.36), 1);
  for (int i = 0; i < 900; ++i) batch.AddHonest(static_cast<uint64_t>(i) % kDomain);
  for (int i = 0; i < 100; ++i) {
    batch.AddSubmission(Bytes(mechanism::PlaneReport{.function = 5, .bucket = 3}));
  }
  const std::vector<Warning> warnings = batch.Judge();
  EXPECT_THAT(warnings,
              Contains(AllOf(Of("seeds"), Field(&Warning::text, AllOf(HasSubstr("class 6 of 18"),
                                                                      HasSubstr("of 1000 reports"),
                                                                      HasSubstr("about 56"))))));
}

TEST(FloodTest, OneFunctionOfTheAffineFamilyIsSeen) {
  Batch batch(Hashing(HashFamily::kAffine, 16, 0.36), 2);
  for (int i = 0; i < 900; ++i) batch.AddHonest(static_cast<uint64_t>(i) % kDomain);
  for (int i = 0; i < 100; ++i) {
    // Multiplier 0 supports every value at once.
    batch.AddSubmission(Bytes(mechanism::AffineReport{.multiplier = 0, .offset = 9, .bucket = 0}));
  }
  EXPECT_THAT(batch.Judge(), Contains(Of("seeds")));
}

TEST(FloodTest, OneBucketOfTheAffineFamilyIsSeenUnderHonestFunctions) {
  const auto hashing = Hashing(HashFamily::kAffine, 16, 0.36);
  Batch batch(hashing, 3);
  for (int i = 0; i < 900; ++i) batch.AddHonest(static_cast<uint64_t>(i) % kDomain);
  for (int i = 0; i < 150; ++i) {
    auto report = hashing->DrawAffine(batch.random());
    report.bucket = 7;
    batch.AddSubmission(Bytes(report));
  }
  const std::vector<Warning> warnings = batch.Judge();
  EXPECT_THAT(warnings,
              Contains(AllOf(Of("buckets"), Field(&Warning::text, HasSubstr("class 8 of 16")))));
  EXPECT_THAT(warnings, Not(Contains(Of("seeds"))));
}

// With a blanket of 0.9 a bucket has 0.9 / 17 of the honest reports whatever they hold; half of
// the devices avoid bucket 4.
TEST(FloodTest, ABucketOfThePlaneThatLacksItsBlanketIsSeen) {
  const auto hashing = Hashing(HashFamily::kPlane, 17, 0.9);
  Batch batch(hashing, 4);
  for (int i = 0; i < 4000; ++i) {
    if (i % 2 == 0) {
      batch.AddHonest(0);
      continue;
    }
    auto report = hashing->DrawPlane(batch.random());
    if (report.bucket == 4) report.bucket = 5;
    batch.AddSubmission(Bytes(report));
  }
  EXPECT_THAT(batch.Judge(),
              Contains(AllOf(Of("buckets"), Field(&Warning::text, HasSubstr("class 5 of 17")))));
}

TEST(FloodTest, AValueThatNotAllDevicesCouldGiveIsSeen) {
  const auto grr = std::make_shared<const mechanism::Grr>(
      mechanism::Grr::Create(
          {.blanket_threshold = client::TestThreshold(0.8), .domain_size = kDomain})
          .value());
  Batch batch(grr, 5);
  for (int i = 0; i < 1000; ++i) {
    if (i % 2 == 0) {
      batch.AddHonest(3);
    } else {
      batch.AddSubmission(Bytes(mechanism::ValueReport{3}));  // nobody answers at random
    }
  }
  EXPECT_THAT(batch.Judge(),
              Contains(AllOf(Of("values"), Field(&Warning::text, HasSubstr("Value number 3")))));
}

// Three reports of a device may name one cell: all of them do, which is no flood, and a fourth is.
TEST(FloodTest, ACellThatDevicesMayFillSeveralTimesIsJudgedByThat) {
  const auto pure = std::make_shared<const mechanism::PureDump>(
      mechanism::PureDump::Create({.rate = client::TestRate(2), .honest = kHonest, .max = 64},
                                  kDomain, {.held = 3, .sent = 3, .units = 3})
          .value());
  const std::vector<uint64_t> cells(3, 7);
  for (const bool fourth : {false, true}) {
    Batch batch(pure, 12);
    for (int i = 0; i < 1000; ++i) {
      std::string reports;
      client::MakeEncoder(pure)->Encode(absl::MakeConstSpan(cells), batch.random(), &reports);
      if (fourth) reports += Bytes(mechanism::ValueReport{7});
      batch.AddSubmission(reports);
    }
    if (fourth) {
      EXPECT_THAT(batch.Judge(),
                  Contains(AllOf(Of("values"), Field(&Warning::text, HasSubstr("3 at most")))));
    } else {
      EXPECT_THAT(batch.Judge(), IsEmpty());
    }
  }
}

// Each of the upper level's four cells has 1,500 dummies, each of the bins 60: honest devices in
// the last of both are no flood there, and as many dummies in a bin as above would be.
TEST(FloodTest, ACellIsJudgedByTheNoiseOfItsLevel) {
  const auto pure = std::make_shared<const mechanism::PureDump>(
      mechanism::PureDump::Create(
          {.honest = 1000, .max = 64},
          {{.cells = kDomain - 4, .rate = client::TestRate(0.06 * (kDomain - 4))},
           {.cells = 4, .rate = client::TestRate(6)}})
          .value());
  const std::vector<uint64_t> cells = {3, kDomain - 1};
  for (const bool flood : {false, true}) {
    Batch batch(pure, 13);
    for (int i = 0; i < 1000; ++i) {
      std::string reports;
      client::MakeEncoder(pure)->Encode(absl::MakeConstSpan(cells), batch.random(), &reports);
      if (flood) reports += Bytes(mechanism::ValueReport{3});
      batch.AddSubmission(reports);
    }
    if (flood) {
      EXPECT_THAT(batch.Judge(),
                  Contains(AllOf(Of("values"), Field(&Warning::text, HasSubstr("number 3 ")))));
    } else {
      EXPECT_THAT(batch.Judge(), IsEmpty());
    }
  }
}

TEST(FloodTest, AValueThatIsAvoidedIsSeen) {
  const auto grr = std::make_shared<const mechanism::Grr>(
      mechanism::Grr::Create(
          {.blanket_threshold = client::TestThreshold(0.8), .domain_size = kDomain})
          .value());
  Batch batch(grr, 6);
  for (int i = 0; i < 4000; ++i) {
    if (i % 2 == 0) {
      batch.AddHonest(0);
    } else {
      batch.AddSubmission(Bytes(
          mechanism::ValueReport{1 + static_cast<uint32_t>(UniformBelow(5, batch.random()))}));
    }
  }
  EXPECT_THAT(batch.Judge(),
              Contains(AllOf(Of("values"), Field(&Warning::text, HasSubstr("0 at least")))));
}

// Rows beyond the domain: reports of the vertical class that support nothing.
TEST(FloodTest, ReportsThatSupportNothingAreSeenInTheSum) {
  const auto hashing = Hashing(HashFamily::kPlane, 17, 0.36);
  Batch batch(hashing, 7);
  for (int i = 0; i < 4000; ++i) {
    if (i % 2 == 0) {
      batch.AddHonest(static_cast<uint64_t>(i / 2) % kDomain);
      continue;
    }
    // A function drawn as it should be, and a bucket that is not one of any value.
    auto report = hashing->DrawPlane(batch.random());
    for (uint32_t bucket = 0; bucket < 17; ++bucket) {
      bool empty = true;
      for (uint64_t v = 0; v < kDomain; ++v) empty &= hashing->Bucket(report, v) != bucket;
      if (empty) report.bucket = bucket;
    }
    batch.AddSubmission(Bytes(report));
  }
  const std::vector<Warning> warnings = batch.Judge();
  EXPECT_THAT(warnings, Contains(Of("sum")));
  EXPECT_THAT(warnings, Not(Contains(Of("seeds"))));
}

TEST(FloodTest, AsManyMessagesAsAreAllowedAreSeen) {
  for (const auto& mechanism : client::EveryMechanism(kDomain, kHonest)) {
    if (mechanism->max_reports_per_submission() == 1) continue;
    Batch batch(mechanism, 8);
    for (int64_t i = 0; i < kHonest; ++i) batch.AddHonest(static_cast<uint64_t>(i) % kDomain);
    std::string report(mechanism->report_bytes(), '\0');
    mechanism->DrawFake(batch.random(),
                        absl::MakeSpan(reinterpret_cast<uint8_t*>(report.data()), report.size()));
    const bool few = mechanism->max_reports_per_submission() < 20;
    for (int i = 0; i < (few ? 40 : 8); ++i) {
      std::string submission;
      for (int64_t k = 0; k < mechanism->max_reports_per_submission(); ++k) submission += report;
      batch.AddSubmission(submission);
    }
    EXPECT_THAT(batch.Judge(), Contains(Of("messages"))) << mechanism->name();
  }
}

TEST(FloodTest, DevicesThatSaveTheirDummiesAreSeen) {
  for (const auto& mechanism : client::EveryMechanism(kDomain, kHonest)) {
    if (mechanism->max_reports_per_submission() == 1) continue;
    Batch batch(mechanism, 9);
    const auto own = static_cast<uint32_t>(3);
    const std::string alone = mechanism->name() == "correlated"
                                  ? Bytes(mechanism::SignedReport{static_cast<int32_t>(own) + 1})
                                  : Bytes(mechanism::ValueReport{own});
    for (int64_t i = 0; i < kHonest; ++i) {
      if (i % 4 == 0) {
        batch.AddHonest(own);
      } else {
        batch.AddSubmission(alone);
      }
    }
    EXPECT_THAT(batch.Judge(), Contains(Of("messages"))) << mechanism->name();
  }
}

}  // namespace
}  // namespace tombola::collector
