// The worked example of docs/wire-format.md, which the Python client computed, against this code.
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/ids.h"
#include "common/crypto/ed25519_sign.h"
#include "common/crypto/ed25519_verify.h"
#include "common/crypto/hpke_open.h"
#include "common/crypto/hpke_seal.h"
#include "common/crypto/hpke_suite.h"
#include "common/crypto/report_digest.h"
#include "common/kind/kind.h"
#include "common/task/key_list.h"
#include "common/task/manifest.h"
#include "common/task/task.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tombola/v1/shuffler.pb.h"

namespace tombola {
namespace {

using ::nlohmann::json;

const json& Example() {
  static const json example =
      json::parse(std::ifstream(absl::StrCat(TOMBOLA_TEST_DATA, "/wire_example.json")));
  return example;
}

std::string Bytes(const json& hex) { return absl::HexStringToBytes(hex.get<std::string>()); }

absl::Span<const uint8_t> AsSpan(const std::string& bytes) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

std::string Hex(absl::Span<const uint8_t> bytes) {
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

crypto::SecretBytes Secret(const json& hex) { return crypto::SecretBytes(Bytes(hex)); }

std::shared_ptr<const Task> ExampleTask(const std::string& family) {
  return *Task::Parse(Bytes(Example()[family]["task"]));
}

KeyId ExampleKeyId() { return *IdFromHex<KeyId>(Example()["keys"]["key_id"].get<std::string>()); }

crypto::HpkePrivateKey ExamplePrivateKey() {
  return *crypto::HpkePrivateKey::FromBytes(Secret(Example()["keys"]["hpke_private_key"]));
}

class FamilyTest : public ::testing::TestWithParam<std::string> {
 protected:
  const json& example_ = Example()[GetParam()];
  const std::shared_ptr<const Task> task_ = ExampleTask(GetParam());
  const mechanism::Hashing& local_hash_ = *task_->kind().tables()[0]->hashing();
};

// The report of `entry` as its fields say, its bucket included.
mechanism::PlaneReport FieldsOf(const json& entry, mechanism::PlaneReport) {
  return {.function = entry["function"], .bucket = entry["bucket"]};
}
mechanism::AffineReport FieldsOf(const json& entry, mechanism::AffineReport) {
  return {.multiplier = entry["multiplier"], .offset = entry["offset"], .bucket = entry["bucket"]};
}

template <typename Report>
void CheckReport(const mechanism::Hashing& local_hash, const json& entry) {
  const Report fields = FieldsOf(entry, Report());
  std::vector<uint8_t> written(Report::kBytes);
  Write(fields, absl::MakeSpan(written));
  EXPECT_EQ(Hex(written), entry["report"]);

  Report read;
  ASSERT_EQ(local_hash.Decode(AsSpan(Bytes(entry["report"])), &read),
            mechanism::ReportState::kValid);
  EXPECT_EQ(read.bucket, fields.bucket);
  const uint32_t own = local_hash.Bucket(read, entry["value"]);
  EXPECT_EQ(own, entry["own_bucket"]);

  uint64_t u = 0;
  ASSERT_TRUE(absl::SimpleHexAtoi(entry["u"].get<std::string>(), &u));
  const bool blanket = u < local_hash.options().blanket_threshold;
  EXPECT_TRUE(blanket || read.bucket == own);
}

TEST_P(FamilyTest, TheTaskHasItsId) {
  EXPECT_EQ(ToHex(task_->id()), example_["task_id"]);
  EXPECT_EQ(task_->name(), "example");
  EXPECT_EQ(ToHex(task_->collector_key()), Example()["keys"]["collector_key"]);
  EXPECT_EQ(ToHex(task_->shuffler_key()), Example()["keys"]["shuffler_key"]);
}

TEST_P(FamilyTest, ReportsHaveTheirBytesAndBuckets) {
  for (const json& entry : example_["reports"]) {
    if (local_hash_.options().family == mechanism::HashFamily::kPlane) {
      CheckReport<mechanism::PlaneReport>(local_hash_, entry);
    } else {
      CheckReport<mechanism::AffineReport>(local_hash_, entry);
    }
  }
}

TEST_P(FamilyTest, ReportsSealToTheirBytesAndOpen) {
  const crypto::HpkePrivateKey key = ExamplePrivateKey();
  for (const json& entry : example_["reports"]) {
    const std::string info = task_->HpkeInfo(ExampleKeyId(), Example()["plane"]["part"]);
    EXPECT_EQ(info, Bytes(entry["info"]));
    const std::string report = Bytes(entry["report"]);
    std::vector<uint8_t> sealed(task_->sealed_bytes());
    auto sealer = crypto::Sealer::Create(key.public_key(), info);
    ASSERT_TRUE(sealer.ok());
    const std::string ephemeral = Bytes(entry["ephemeral_private_key"]);
    ASSERT_TRUE(crypto::SealerForTest::SealWithEphemeral(*sealer, AsSpan(ephemeral), "",
                                                         AsSpan(report), absl::MakeSpan(sealed))
                    .ok());
    EXPECT_EQ(Hex(sealed), entry["sealed"]);

    auto opener = crypto::Opener::Create(key, info);
    ASSERT_TRUE(opener.ok());
    std::vector<uint8_t> opened(report.size());
    ASSERT_TRUE(opener->Open(AsSpan(Bytes(entry["sealed"])), absl::MakeSpan(opened)));
    EXPECT_EQ(Hex(opened), entry["report"]);
  }
}

TEST_P(FamilyTest, SealedReportsHaveTheirDigests) {
  for (const json& entry : example_["reports"]) {
    const std::string sealed = Bytes(entry["sealed"]);
    EXPECT_EQ(ToHex(crypto::ReportDigest(task_->id(), ExampleKeyId(), AsSpan(sealed))),
              entry["digest"]);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, FamilyTest, ::testing::Values("plane", "affine"),
                         [](const auto& family) { return family.param; });

TEST(WireExampleTest, TheHpkeKeyHasItsPublicHalfAndItsId) {
  const crypto::HpkePrivateKey key = ExamplePrivateKey();
  EXPECT_EQ(Hex(key.public_key()), Example()["keys"]["hpke_public_key"]);
  EXPECT_EQ(crypto::HpkeKeyId(key.public_key()), ExampleKeyId());
}

TEST(WireExampleTest, TheKeyListVerifiesAndNamesTheKey) {
  const json& keys = Example()["keys"];
  const std::shared_ptr<const Task> task = ExampleTask("plane");
  const auto list = KeyList::Verify(Bytes(keys["key_list"]), Bytes(keys["key_list_signature"]),
                                    task->collector_key());
  ASSERT_TRUE(list.ok()) << list.status();
  const auto active = list->ActiveAt(absl::FromUnixSeconds(Example()["plane"]["now"]));
  ASSERT_TRUE(active.ok()) << active.status();
  EXPECT_EQ(active->id, ExampleKeyId());
}

TEST(WireExampleTest, LongTermKeysSignAsShown) {
  const json& keys = Example()["keys"];
  const auto collector = crypto::SigningKey::FromSeed(Secret(keys["collector_seed"]));
  ASSERT_TRUE(collector.ok());
  EXPECT_EQ(ToHex(collector->public_key()), keys["collector_key"]);
  EXPECT_EQ(collector->Sign(absl::StrCat(kKeyListContext, Bytes(keys["key_list"]))),
            Bytes(keys["key_list_signature"]));
  const auto shuffler = crypto::SigningKey::FromSeed(Secret(keys["shuffler_seed"]));
  ASSERT_TRUE(shuffler.ok());
  EXPECT_EQ(ToHex(shuffler->public_key()), keys["shuffler_key"]);
}

TEST(WireExampleTest, TheWindowIsThatOfTheMoment) {
  const json& plane = Example()["plane"];
  EXPECT_EQ(ExampleTask("plane")->WindowAt(absl::FromUnixSeconds(plane["now"])), plane["window"]);
}

TEST(WireExampleTest, AStreamsGroupsAreSealedToTheirNodesAndSentTogether) {
  const json& example = Example()["stream"];
  const std::shared_ptr<const Task> task = ExampleTask("stream");
  EXPECT_EQ(ToHex(task->id()), example["task_id"]);
  const absl::Time now = absl::FromUnixSeconds(example["now"]);
  EXPECT_EQ(task->WindowAt(now), example["window"]);
  const uint64_t period = task->PartAt(now);
  EXPECT_EQ(period, example["part"]);
  const auto list = KeyList::Verify(Bytes(example["key_list"]),
                                    Bytes(example["key_list_signature"]), task->collector_key());
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(ToHex(list->version().keys), example["key_list_digest"]);
  v1::SubmitRequest request;
  ASSERT_TRUE(request.ParseFromString(Bytes(example["request"])));
  EXPECT_EQ(request.task_id(), AsView(task->id()));
  EXPECT_EQ(request.part(), period);
  const std::vector<uint64_t> nodes = task->PartsOf(period);
  ASSERT_EQ(nodes.size(), example["groups"].size());
  ASSERT_EQ(nodes.size(), static_cast<size_t>(request.groups_size()));
  for (size_t i = 0; i < nodes.size(); ++i) {
    const json& group = example["groups"][i];
    EXPECT_EQ(nodes[i], group["node"]);
    const auto key = list->NodeKeyAt(task->id(), nodes[i], now);
    ASSERT_TRUE(key.ok()) << key.status();
    EXPECT_EQ(ToHex(key->id), group["key_id"]);
    EXPECT_EQ(Hex(key->public_key), group["public_key"]);
    const std::string info = task->HpkeInfo(key->id, nodes[i]);
    EXPECT_EQ(info, Bytes(group["info"]));
    auto opener = crypto::Opener::Create(
        *crypto::HpkePrivateKey::FromBytes(Secret(group["private_key"])), info);
    ASSERT_TRUE(opener.ok());
    std::string sealed;
    for (const json& entry : group["reports"]) {
      std::vector<uint8_t> opened(task->SchemeOf(nodes[i]).report_bytes());
      ASSERT_TRUE(opener->Open(AsSpan(Bytes(entry["sealed"])), absl::MakeSpan(opened)));
      EXPECT_EQ(Hex(opened), entry["report"]);
      sealed += Bytes(entry["sealed"]);
    }
    const v1::NodeGroup& sent = request.groups(static_cast<int>(i));
    EXPECT_EQ(sent.node(), nodes[i]);
    EXPECT_EQ(sent.key_id(), AsView(key->id));
    EXPECT_EQ(sent.report_counts(0), group["reports"].size());
    EXPECT_EQ(sent.sealed_reports(), sealed);
  }
}

TEST(WireExampleTest, TheManifestVerifiesAndHasTheSumOfTheDigests) {
  const json& example = Example()["manifest"];
  const std::shared_ptr<const Task> task = ExampleTask("plane");
  const std::string bytes = Bytes(example["manifest"]);
  EXPECT_TRUE(crypto::VerifyEd25519(task->shuffler_key(), absl::StrCat(kManifestContext, bytes),
                                    Bytes(example["signature"])));
  const auto manifest = Manifest::Parse(bytes);
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_EQ(manifest->of.task, task->id());
  EXPECT_EQ(manifest->of.key, ExampleKeyId());
  crypto::DigestSum sum;
  for (const json& entry : Example()["plane"]["reports"]) {
    sum.Add(*IdFromHex<crypto::Sha256Digest>(entry["digest"].get<std::string>()));
  }
  EXPECT_EQ(ToHex(sum.Value()), example["digest_sum"]);
  EXPECT_EQ(manifest->digest_sum, sum.Value());
}

}  // namespace
}  // namespace tombola
