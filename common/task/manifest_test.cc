#include "common/task/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tombola/v1/collector.pb.h"

namespace tombola {
namespace {

using ::testing::HasSubstr;

v1::Manifest ValidManifest() {
  v1::Manifest manifest;
  manifest.set_task_id(std::string(32, 't'));
  manifest.set_batch_id(std::string(16, 'b'));
  manifest.set_key_id(std::string(8, 'k'));
  manifest.set_submissions(90);
  manifest.set_reports_in(100);
  manifest.set_duplicates(7);
  manifest.set_fakes(20);
  manifest.set_reports_out(120);
  manifest.set_part(9);
  manifest.set_digest_sum(std::string(32, 'd'));
  return manifest;
}

absl::StatusOr<Manifest> ParseWith(const std::function<void(v1::Manifest*)>& change) {
  v1::Manifest manifest = ValidManifest();
  change(&manifest);
  return Manifest::Parse(manifest.SerializeAsString());
}

TEST(ManifestTest, HasTheFieldsOfTheMessage) {
  const auto manifest = Manifest::Parse(ValidManifest().SerializeAsString());
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_EQ(AsView(manifest->of.task), std::string(32, 't'));
  EXPECT_EQ(AsView(manifest->batch), std::string(16, 'b'));
  EXPECT_EQ(AsView(manifest->of.key), std::string(8, 'k'));
  EXPECT_EQ(manifest->of.part, 9u);
  EXPECT_EQ(manifest->submissions, 90);
  EXPECT_EQ(manifest->reports_in, 100);
  EXPECT_EQ(manifest->duplicates, 7);
  EXPECT_EQ(manifest->fakes, 20);
  EXPECT_EQ(manifest->reports_out, 120);
  EXPECT_EQ(AsView(manifest->digest_sum), std::string(32, 'd'));
}

TEST(ManifestTest, AcceptsTheSmallestBatchThereIs) {
  const auto manifest = ParseWith([](v1::Manifest* m) {
    m->set_submissions(1);
    m->set_reports_in(1);
    m->set_duplicates(0);
    m->set_fakes(0);
    m->set_reports_out(1);
  });
  EXPECT_TRUE(manifest.ok()) << manifest.status();
}

struct Broken {
  const char* name;
  std::function<void(v1::Manifest*)> change;
  const char* message;
};

class ManifestRefusalTest : public ::testing::TestWithParam<Broken> {};

TEST_P(ManifestRefusalTest, NamesTheFieldAndItsBound) {
  const auto manifest = ParseWith(GetParam().change);
  EXPECT_TRUE(absl::IsInvalidArgument(manifest.status())) << manifest.status();
  EXPECT_THAT(std::string(manifest.status().message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    OneBrokenField, ManifestRefusalTest,
    ::testing::Values(
        Broken{"NoTaskId", [](v1::Manifest* m) { m->clear_task_id(); },
               "manifest.task_id must be 32 bytes"},
        Broken{"LongTaskId", [](v1::Manifest* m) { m->mutable_task_id()->push_back('x'); },
               "manifest.task_id must be 32 bytes"},
        Broken{"ShortBatchId", [](v1::Manifest* m) { m->mutable_batch_id()->pop_back(); },
               "manifest.batch_id must be 16 bytes"},
        Broken{"ShortKeyId", [](v1::Manifest* m) { m->mutable_key_id()->pop_back(); },
               "manifest.key_id must be 8 bytes"},
        Broken{"ShortDigestSum", [](v1::Manifest* m) { m->mutable_digest_sum()->pop_back(); },
               "manifest.digest_sum must be 32 bytes"},
        Broken{"NothingOut",
               [](v1::Manifest* m) {
                 m->set_reports_in(0);
                 m->set_fakes(0);
                 m->set_reports_out(0);
               },
               "manifest.reports_out must be between 1 and 2^40"},
        Broken{"MoreOutThanThereCanBe",
               [](v1::Manifest* m) { m->set_reports_out((uint64_t{1} << 40) + 1); },
               "manifest.reports_out must be between 1 and 2^40"},
        Broken{"FewerOutThanIn", [](v1::Manifest* m) { m->set_reports_out(119); },
               "manifest.reports_out must be reports_in + fakes"},
        Broken{"MoreOutThanIn", [](v1::Manifest* m) { m->set_reports_out(121); },
               "manifest.reports_out must be reports_in + fakes"},
        // 2^64 - 1 + 121 is 120 in 64 bits.
        Broken{"SumThatWraps",
               [](v1::Manifest* m) {
                 m->set_fakes(~uint64_t{0});
                 m->set_reports_in(121);
               },
               "manifest.reports_out must be reports_in + fakes"},
        Broken{"NoSubmissions", [](v1::Manifest* m) { m->set_submissions(0); },
               "manifest.submissions must be between 1 and reports_in"},
        Broken{"MoreSubmissionsThanReports", [](v1::Manifest* m) { m->set_submissions(101); },
               "manifest.submissions must be between 1 and reports_in"},
        Broken{"OnlyFakes",
               [](v1::Manifest* m) {
                 m->set_reports_in(0);
                 m->set_fakes(120);
               },
               "manifest.submissions must be between 1 and reports_in"},
        Broken{"DuplicatesBeyondCounting",
               [](v1::Manifest* m) { m->set_duplicates((uint64_t{1} << 40) + 1); },
               "manifest.duplicates must be at most 2^40"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ManifestTest, RefusesBytesThatAreNoMessage) {
  const auto manifest = Manifest::Parse("\xff\xff\xff");
  EXPECT_TRUE(absl::IsInvalidArgument(manifest.status()));
  EXPECT_THAT(std::string(manifest.status().message()), HasSubstr("serialised"));
}

TEST(ManifestTest, RefusesEveryTruncation) {
  const std::string bytes = ValidManifest().SerializeAsString();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_TRUE(absl::IsInvalidArgument(Manifest::Parse(bytes.substr(0, size)).status())) << size;
  }
}

}  // namespace
}  // namespace tombola
