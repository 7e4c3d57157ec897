// The logs of a stream: of a period, and of a node.
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "common/base/encoding.h"
#include "gtest/gtest.h"
#include "shuffler/log/log_format.h"
#include "shuffler/store/store_harness.h"

namespace tombola::shuffler {
namespace {

// The dumps in docs/store-format.md, made by another program.
TEST(StreamLogTest, IsTheOneInTheDocumentation) {
  const KeyId nine = {0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8};
  const KeyId twelve = {0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8};
  const auto repeated = [](uint8_t byte) {
    Digest digest;
    digest.bytes.fill(byte);
    return digest;
  };
  const LogHeader period = {.of = {TaskNumber(0x11), nine, 9},
                            .sealed_bytes = 8,
                            .sequence = 5,
                            .salt = 0x0102030405060708,
                            .nodes = {{9, nine}, {12, twelve}}};
  FrameBuilder submissions;
  submissions.Begin(repeated(0xD1), 7);
  submissions.AddGroup(1, AsBytes("REPORT-1"));
  submissions.AddGroup(1, AsBytes("REPORT-4"));
  submissions.Begin(repeated(0xD2), 7);
  submissions.AddGroup(2, AsBytes("REPORT-2REPORT-3"));
  submissions.AddGroup(1, AsBytes("REPORT-5"));
  EXPECT_EQ(
      absl::BytesToHexString(EncodeLogHeader(period) +
                             std::string(AsView(submissions.Finish(0, 3, period.salt)))),
      "544d424c5045524402000000680000001111111111111111111111111111111111111111111111111111111111"
      "111111a1a2a3a4a5a6a7a809000000000000000800000005000000000000000807060504030201020000000900"
      "000000000000a1a2a3a4a5a6a7a80c00000000000000b1b2b3b4b5b6b7b8584f06cc5446524d00000000580000"
      "0002000000030000003f5458379606901cd1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d10700000001005245504f5254"
      "2d3101005245504f52542d34d2d2d2d2d2d2d2d2d2d2d2d2d2d2d2d20700000002005245504f52542d32524550"
      "4f52542d3301005245504f52542d35");
  const LogHeader node = {.of = {TaskNumber(0x11), twelve, 12},
                          .sealed_bytes = 8,
                          .sequence = 6,
                          .salt = period.salt,
                          .sources = {5}};
  FrameBuilder groups, end;
  groups.AddAlone(1, AsBytes("REPORT-4"));
  groups.AddAlone(1, AsBytes("REPORT-5"));
  EXPECT_EQ(
      absl::BytesToHexString(EncodeLogHeader(node) +
                             std::string(AsView(groups.Finish(0, 0, node.salt))) +
                             std::string(AsView(end.Finish(1, 0, node.salt)))),
      "544d424c4e4f444502000000500000001111111111111111111111111111111111111111111111111111111111"
      "111111b1b2b3b4b5b6b7b80c000000000000000800000006000000000000000807060504030201010000000500"
      "000000000000ee4094545446524d00000000140000000200000000000000384514991099f43e01005245504f52"
      "542d3401005245504f52542d355446524d010000000000000000000000000000001c02f926502881f3");
}

// Whatever byte of a longer header is wrong, or missing.
TEST(StreamLogTest, ReportsADamagedHeaderOfAStreamAtEveryByte) {
  for (const bool of_node : {false, true}) {
    LogHeader header = {.of = {TaskNumber(1), KeyNumber(1), 3}, .sealed_bytes = 8, .sequence = 5};
    if (of_node) {
      header.sources = {1, 2, 4};
    } else {
      header.nodes = {{3, KeyNumber(1)}, {4, KeyNumber(2)}};
    }
    const std::string whole = EncodeLogHeader(header);
    EXPECT_EQ(LogHeaderBytes(AsBytes(whole).first(kLogHeaderBytes)), whole.size());
    const auto decoded = DecodeLogHeader(AsBytes(whole), "log");
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(decoded->nodes, header.nodes);
    EXPECT_EQ(decoded->sources, header.sources);
    for (size_t place = 0; place < whole.size(); ++place) {
      std::string wrong = whole;
      wrong[place] = static_cast<char>(wrong[place] ^ 0x10);
      EXPECT_TRUE(absl::IsDataLoss(DecodeLogHeader(AsBytes(wrong), "log").status())) << place;
      EXPECT_TRUE(absl::IsDataLoss(DecodeLogHeader(AsBytes(whole).first(place), "log").status()))
          << place;
    }
  }
}

TEST(StreamLogTest, RefusesAPeriodWhoseNodesDoNotBeginWithItsOwnOrDescend) {
  const std::vector<NodeKey> bad[] = {{{4, KeyNumber(1)}},
                                      {{3, KeyNumber(2)}},
                                      {{3, KeyNumber(1)}, {3, KeyNumber(2)}},
                                      {{3, KeyNumber(1)}, {2, KeyNumber(2)}}};
  for (const std::vector<NodeKey>& nodes : bad) {
    const LogHeader header = {
        .of = {TaskNumber(1), KeyNumber(1), 3}, .sealed_bytes = 8, .sequence = 5, .nodes = nodes};
    const std::string bytes = EncodeLogHeader(header);
    EXPECT_TRUE(absl::IsDataLoss(DecodeLogHeader(AsBytes(bytes), "log").status()));
  }
}

TEST(StreamLogTest, APayloadOfAStreamMustBeWholeGroups) {
  FrameBuilder frame;
  frame.Begin(SubmissionDigest(TaskNumber(1), AsBytes(IdOf(1))), 7);
  frame.AddGroup(1, AsBytes(ReportOf(1)));
  frame.AddGroup(2, AsBytes(ReportOf(2) + ReportOf(3)));
  const absl::Span<const uint8_t> payload = frame.Finish(0, 0, 0).subspan(kFrameHeaderBytes);
  const FrameLayout two = {.groups = 2, .sealed_bytes = kSealedBytes};
  EXPECT_EQ(*CountReports(payload, 1, two), 3);
  for (size_t bytes = 0; bytes < payload.size(); ++bytes) {
    EXPECT_TRUE(absl::IsDataLoss(CountReports(payload.first(bytes), 1, two).status())) << bytes;
  }
  for (const size_t groups : {1, 3}) {
    const FrameLayout other = {.groups = groups, .sealed_bytes = kSealedBytes};
    EXPECT_TRUE(absl::IsDataLoss(CountReports(payload, 1, other).status()));
  }
}

}  // namespace
}  // namespace tombola::shuffler
