// A held log after a restart: nothing is skipped in silence. What recovery visits is, byte for
// byte, the part of the file that it keeps, and what it cuts off can only be a torn last frame.
//
// The first byte is what RepairLog leaves out, 255 for a file that is taken as it is.
#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/encoding.h"
#include "shuffler/log/test_log.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/scratch.h"
#include "tests/fuzz/store_repair.h"

namespace tombola::fuzz {
namespace {

using shuffler::FrameHeader;
using shuffler::FrameLayout;
using shuffler::kFrameHeaderBytes;
using shuffler::LogInfo;
using shuffler::SubmissionView;

constexpr absl::string_view kLog = "log";

// A group of a submission as a frame holds it, appended to `out`.
void Encode(size_t group, const SubmissionView& submission, const FrameLayout& layout,
            std::string& out) {
  if (layout.ids && group == 0) {
    PutBytes(submission.id.bytes, out);
    PutNumber(submission.window, out);
  }
  const size_t reports = submission.reports.size() / layout.sealed_bytes;
  PutNumber(static_cast<uint16_t>(reports), out);
  absl::StrAppend(&out, AsView(submission.reports));
}

std::optional<FrameHeader> HeaderAt(absl::string_view bytes, size_t offset, uint64_t salt) {
  return shuffler::DecodeFrameHeader(AsSpan(bytes.substr(offset)), salt);
}

// The payloads of the frames up to info.end, back to back; what the frames claim must be in `info`.
std::string PayloadsOf(absl::string_view bytes, const LogInfo& info) {
  std::string payloads;
  auto offset = shuffler::EncodeLogHeader(info.header).size();
  int64_t submissions = 0, duplicates = 0;
  uint32_t frames = 0;
  for (; offset < static_cast<size_t>(info.end); ++frames) {
    const auto header = HeaderAt(bytes, offset, info.header.salt);
    TOMBOLA_CHECK(header.has_value() && header->number == frames);
    absl::StrAppend(&payloads, bytes.substr(offset + kFrameHeaderBytes, header->payload_bytes));
    offset += kFrameHeaderBytes + header->payload_bytes;
    submissions += header->submissions;
    duplicates += header->duplicates;
  }
  TOMBOLA_CHECK(offset == static_cast<size_t>(info.end) && frames == info.frames);
  TOMBOLA_CHECK(info.amounts.submissions == submissions);
  TOMBOLA_CHECK(info.amounts.duplicates == duplicates);
  return payloads;
}

// What was cut off is one torn frame or space that was taken in advance.
void CheckTail(absl::string_view bytes, const LogInfo& info) {
  const auto end = static_cast<size_t>(info.end);
  if (const auto torn = HeaderAt(bytes, end, info.header.salt)) {
    const size_t after = end + kFrameHeaderBytes + torn->payload_bytes;
    const absl::string_view rest = bytes.substr(std::min(after, bytes.size()));
    TOMBOLA_CHECK(std::all_of(rest.begin(), rest.end(), [](char c) { return c == 0; }));
    return;
  }
  for (size_t offset = end; offset < bytes.size(); ++offset) {
    TOMBOLA_CHECK(!HeaderAt(bytes, offset, info.header.salt).has_value());
  }
}

void CheckKept(const std::string& bytes, const LogInfo& info, const std::string& visited) {
  const std::string header = shuffler::EncodeLogHeader(info.header);
  TOMBOLA_CHECK(info.end >= static_cast<int64_t>(header.size()));
  const std::string kept = bytes.substr(0, static_cast<size_t>(info.end));
  TOMBOLA_CHECK(TheScratch().Read(kLog) == kept);
  TOMBOLA_CHECK(header == kept.substr(0, header.size()));
  TOMBOLA_CHECK(PayloadsOf(bytes, info) == visited);
  CheckTail(bytes, info);
}

void Run(Input input) {
  const uint8_t leave = input.Byte();
  std::string bytes(input.Rest());
  if (leave != 255) RepairLog(bytes, leave);
  TheScratch().Write(kLog, bytes);
  const std::string path = TheScratch().In(kLog);
  const auto header = shuffler::ReadLogHeader(path);
  std::string visited;
  const auto encode = [&](size_t group, const SubmissionView& submission) {
    Encode(group, submission, shuffler::LayoutOf(*header), visited);
  };
  const auto info = shuffler::RecoverLog(path, encode);
  if (!info.ok()) {
    TOMBOLA_CHECK(absl::IsDataLoss(info.status()));
    TOMBOLA_CHECK(absl::StrContains(info.status().message(), path));
    TOMBOLA_CHECK(TheScratch().Read(kLog) == bytes);
    return;
  }
  CheckKept(bytes, *info, visited);
  std::string again;
  again.swap(visited);
  TOMBOLA_CHECK(shuffler::ReadLog(*info, encode).ok());
  TOMBOLA_CHECK(visited == again);
  visited.clear();
  const auto second = shuffler::RecoverLog(path, encode);
  TOMBOLA_CHECK(second.ok() && second->end == info->end && visited == again);
}

}  // namespace
}  // namespace tombola::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tombola::fuzz::Run({data, size});
  return 0;
}
