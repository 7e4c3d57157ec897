#include "shuffler/log/log_format.h"

#include <array>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/encoding.h"
#include "common/base/status_macros.h"
#include "shuffler/disk/crc32c.h"
#include "shuffler/disk/record.h"
#include "shuffler/store/amounts.h"

namespace tombola::shuffler {
namespace {

constexpr absl::string_view kLogKind = "TMBLHELD";
constexpr uint32_t kFrameMagic = 0x4D524654;  // "TFRM"

uint32_t Checksum(absl::Span<const uint8_t> bytes, uint64_t salt) {
  std::array<uint8_t, sizeof(salt)> start;
  StoreNumber(salt, start.data());
  return Crc32c(bytes, Crc32c(start));
}

}  // namespace

std::string EncodeLogHeader(const LogHeader& header) {
  std::string body;
  PutBytes(header.of.task, body);
  PutBytes(header.of.key, body);
  PutNumber(header.of.part, body);
  PutNumber(static_cast<uint32_t>(header.sealed_bytes), body);
  PutNumber(header.sequence, body);
  PutNumber(header.salt, body);
  std::string record = WrapRecord(kLogKind, body);
  TOMBOLA_CHECK(record.size() == kLogHeaderBytes);
  return record;
}

absl::StatusOr<LogHeader> DecodeLogHeader(absl::Span<const uint8_t> bytes, absl::string_view path) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto body, UnwrapRecord(kLogKind, bytes, path));
  Decoder decoder(body);
  LogHeader header;
  header.of.task = decoder.Bytes<32>();
  header.of.key = decoder.Bytes<8>();
  header.of.part = decoder.Number<uint64_t>();
  header.sealed_bytes = decoder.Number<uint32_t>();
  header.sequence = decoder.Number<uint64_t>();
  header.salt = decoder.Number<uint64_t>();
  if (!decoder.ok() || decoder.left() != 0 || header.sealed_bytes == 0 ||
      header.sealed_bytes > kMaxSealedBytes) {
    return absl::DataLossError(absl::StrCat(path, ": the log's header is malformed"));
  }
  return header;
}

std::string LogName(const BatchKey& of, uint64_t sequence) {
  return absl::StrCat(ToHex(of.key), "-", of.part, "-", sequence, ".log");
}

std::optional<FrameHeader> DecodeFrameHeader(absl::Span<const uint8_t> bytes, uint64_t salt) {
  if (bytes.size() < kFrameHeaderBytes) return std::nullopt;
  Decoder decoder(bytes.first(kFrameHeaderBytes));
  FrameHeader header;
  if (decoder.Number<uint32_t>() != kFrameMagic) return std::nullopt;
  header.number = decoder.Number<uint32_t>();
  header.payload_bytes = decoder.Number<uint32_t>();
  header.submissions = decoder.Number<uint32_t>();
  header.duplicates = decoder.Number<uint32_t>();
  header.payload_checksum = decoder.Number<uint32_t>();
  const uint32_t expected = Checksum(bytes.first(kFrameHeaderBytes - sizeof(uint32_t)), salt);
  if (decoder.Number<uint32_t>() != expected) return std::nullopt;
  return header;
}

uint32_t PayloadChecksum(absl::Span<const uint8_t> payload, uint64_t salt) {
  return Checksum(payload, salt);
}

absl::StatusOr<int64_t> CountReports(absl::Span<const uint8_t> payload, uint32_t submissions,
                                     int64_t sealed_bytes) {
  int64_t reports = 0;
  for (uint32_t i = 0; i < submissions; ++i) {
    if (payload.size() < kSubmissionHeaderBytes) {
      return absl::DataLossError("a frame ends within a submission");
    }
    const size_t count =
        Decoder(payload.subspan(kSubmissionHeaderBytes - sizeof(uint16_t))).Number<uint16_t>();
    payload.remove_prefix(kSubmissionHeaderBytes);
    const size_t bytes = count * static_cast<size_t>(sealed_bytes);
    if (payload.size() < bytes) return absl::DataLossError("a frame ends within a submission");
    if (count == 0) return absl::DataLossError("a frame has a submission without reports");
    payload.remove_prefix(bytes);
    reports += static_cast<int64_t>(count);
  }
  if (!payload.empty()) return absl::DataLossError("a frame has bytes after its submissions");
  return reports;
}

void FrameBuilder::Add(const Digest& id, uint32_t window, uint16_t count,
                       absl::Span<const uint8_t> reports) {
  std::array<uint8_t, kSubmissionHeaderBytes> header;
  std::memcpy(header.data(), id.bytes.data(), kDigestBytes);
  StoreNumber(window, header.data() + kDigestBytes);
  StoreNumber(count, header.data() + kDigestBytes + sizeof(window));
  PutBytes(header, bytes_);
  bytes_.append(reinterpret_cast<const char*>(reports.data()), reports.size());
  ++submissions_;
  reports_ += count;
}

absl::Span<const uint8_t> FrameBuilder::Finish(uint32_t number, uint32_t duplicates,
                                               uint64_t salt) {
  const absl::Span<const uint8_t> payload = AsBytes(bytes_).subspan(kFrameHeaderBytes);
  std::string header;
  PutNumber(kFrameMagic, header);
  PutNumber(number, header);
  PutNumber(static_cast<uint32_t>(payload.size()), header);
  PutNumber(submissions_, header);
  PutNumber(duplicates, header);
  PutNumber(PayloadChecksum(payload, salt), header);
  PutNumber(Checksum(AsBytes(header), salt), header);
  TOMBOLA_CHECK(header.size() == kFrameHeaderBytes);
  std::memcpy(bytes_.data(), header.data(), kFrameHeaderBytes);
  return AsBytes(bytes_);
}

}  // namespace tombola::shuffler
