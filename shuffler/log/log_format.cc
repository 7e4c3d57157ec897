#include "shuffler/log/log_format.h"

#include <algorithm>
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
constexpr absl::string_view kPeriodKind = "TMBLPERD";
constexpr absl::string_view kNodeKind = "TMBLNODE";
// Nodes or sources; a header is then read at once.
constexpr uint32_t kMostListed = 4096;
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
  absl::string_view kind = kLogKind;
  if (header.of_period()) {
    kind = kPeriodKind;
    PutNumber(static_cast<uint32_t>(header.nodes.size()), body);
    for (const NodeKey& node : header.nodes) {
      PutNumber(node.node, body);
      PutBytes(node.key, body);
    }
  } else if (header.of_node()) {
    kind = kNodeKind;
    PutNumber(static_cast<uint32_t>(header.sources.size()), body);
    for (const uint64_t source : header.sources) PutNumber(source, body);
  }
  TOMBOLA_CHECK(kind != kLogKind || body.size() + kRecordOverhead == kLogHeaderBytes);
  return WrapRecord(kind, body);
}

size_t LogHeaderBytes(absl::Span<const uint8_t> begin) {
  Decoder decoder(begin);
  const absl::string_view kind = AsView(decoder.Take(kLogKind.size()));
  decoder.Number<uint32_t>();
  const size_t body = decoder.Number<uint32_t>();
  const size_t most = kLogHeaderBytes + sizeof(uint32_t) + kMostListed * 16;
  const bool listing = kind == kPeriodKind || kind == kNodeKind;
  return listing && decoder.ok() ? std::min(body + kRecordOverhead, most) : kLogHeaderBytes;
}

absl::StatusOr<LogHeader> DecodeLogHeader(absl::Span<const uint8_t> bytes, absl::string_view path) {
  const absl::string_view found = AsView(bytes.first(std::min(bytes.size(), kLogKind.size())));
  const absl::string_view kind = found == kPeriodKind || found == kNodeKind ? found : kLogKind;
  TOMBOLA_ASSIGN_OR_RETURN(const auto body, UnwrapRecord(kind, bytes, path));
  Decoder decoder(body);
  LogHeader header;
  header.of.task = decoder.Bytes<32>();
  header.of.key = decoder.Bytes<8>();
  header.of.part = decoder.Number<uint64_t>();
  header.sealed_bytes = decoder.Number<uint32_t>();
  header.sequence = decoder.Number<uint64_t>();
  header.salt = decoder.Number<uint64_t>();
  bool valid = header.sealed_bytes > 0 && header.sealed_bytes <= kMaxSealedBytes;
  if (kind != kLogKind) {
    const uint32_t count = decoder.Number<uint32_t>();
    valid &= count > 0 && count <= kMostListed;
    for (uint32_t i = 0; valid && i < count && decoder.ok(); ++i) {
      if (kind == kNodeKind) {
        header.sources.push_back(decoder.Number<uint64_t>());
        continue;
      }
      NodeKey node;
      node.node = decoder.Number<uint64_t>();
      node.key = decoder.Bytes<8>();
      valid &= header.nodes.empty() ? node == NodeKey{header.of.part, header.of.key}
                                    : node.node > header.nodes.back().node;
      header.nodes.push_back(node);
    }
  }
  if (!valid || !decoder.ok() || decoder.left() != 0) {
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

FrameLayout LayoutOf(const LogHeader& header) {
  return {.ids = !header.of_node(),
          .groups = header.of_period() ? header.nodes.size() : 1,
          .sealed_bytes = static_cast<size_t>(header.sealed_bytes)};
}

absl::StatusOr<int64_t> CountReports(absl::Span<const uint8_t> payload, uint32_t submissions,
                                     const FrameLayout& layout) {
  const size_t id_bytes = layout.ids ? kDigestBytes + sizeof(uint32_t) : 0;
  int64_t reports = 0;
  for (uint32_t i = 0; i < submissions; ++i) {
    if (payload.size() < id_bytes) return absl::DataLossError("a frame ends within a submission");
    payload.remove_prefix(id_bytes);
    for (size_t group = 0; group < layout.groups; ++group) {
      if (payload.size() < sizeof(uint16_t)) {
        return absl::DataLossError("a frame ends within a submission");
      }
      const size_t count = Decoder(payload).Number<uint16_t>();
      payload.remove_prefix(sizeof(uint16_t));
      const size_t bytes = count * layout.sealed_bytes;
      if (payload.size() < bytes) return absl::DataLossError("a frame ends within a submission");
      if (count == 0) return absl::DataLossError("a frame has a submission without reports");
      payload.remove_prefix(bytes);
      reports += static_cast<int64_t>(count);
    }
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

void FrameBuilder::Begin(const Digest& id, uint32_t window) {
  PutBytes(id.bytes, bytes_);
  PutNumber(window, bytes_);
  ++submissions_;
}

void FrameBuilder::AddGroup(uint16_t count, absl::Span<const uint8_t> reports) {
  PutNumber(count, bytes_);
  bytes_.append(reinterpret_cast<const char*>(reports.data()), reports.size());
  reports_ += count;
}

void FrameBuilder::AddAlone(uint16_t count, absl::Span<const uint8_t> reports) {
  AddGroup(count, reports);
  ++submissions_;
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
