#include "tests/fuzz/store_repair.h"

#include "common/base/encoding.h"
#include "shuffler/disk/crc32c.h"
#include "shuffler/disk/record.h"
#include "shuffler/log/log_format.h"

namespace tombola::fuzz {
namespace {

using shuffler::kFrameHeaderBytes;
using shuffler::kLogHeaderBytes;
using shuffler::kRecordOverhead;

// docs/store-format.md has these offsets.
constexpr size_t kRecordLength = 12, kLogSalt = 76;
constexpr size_t kFrameLength = 8, kFramePayloadChecksum = 20, kFrameChecksum = 24;
constexpr size_t kSeenHeader = 68, kSeenCount = 52, kSeenChecksum = 60, kDigest = 16;
constexpr absl::string_view kFrameMagic = "TFRM";

template <typename T>
void Put(size_t offset, T value, std::string& bytes) {
  std::string encoded;
  PutNumber(value, encoded);
  bytes.replace(offset, encoded.size(), encoded);
}

template <typename T>
T Get(size_t offset, const std::string& bytes) {
  return Decoder(AsBytes(bytes).subspan(offset)).Number<T>();
}

// Where the payload of the frame at `offset` ends if the next begins where it seems to.
size_t PayloadEnd(const std::string& bytes, size_t start) {
  const size_t next = bytes.find(kFrameMagic.data(), start, kFrameMagic.size());
  return next == std::string::npos ? bytes.size() : next;
}

}  // namespace

void RepairHeader(std::string& bytes, size_t size) {
  if (size < kRecordOverhead || bytes.size() < size) return;
  Put(kRecordLength, static_cast<uint32_t>(size - kRecordOverhead), bytes);
  Put(size - 4, shuffler::Crc32c(AsBytes(bytes).first(size - 4)), bytes);
}

void RepairRecord(std::string& bytes) { RepairHeader(bytes, bytes.size()); }

void RepairLog(std::string& bytes, uint8_t leave) {
  if (bytes.size() < kLogHeaderBytes) return;
  // A stream's are longer: their lists stay as they are.
  const size_t header = shuffler::LogHeaderBytes(AsBytes(bytes).first(kLogHeaderBytes));
  if (bytes.size() < header) return;
  RepairHeader(bytes, header);
  const auto salt = Get<uint64_t>(kLogSalt, bytes);
  size_t offset = header;
  for (int frame = 1; bytes.size() - offset >= kFrameHeaderBytes; ++frame) {
    if (bytes.compare(offset, kFrameMagic.size(), kFrameMagic.data(), kFrameMagic.size()) != 0) {
      return;
    }
    const size_t payload = offset + kFrameHeaderBytes;
    if ((leave & kLengthsAsTheyAre) == 0) {
      Put(offset + kFrameLength, static_cast<uint32_t>(PayloadEnd(bytes, payload) - payload),
          bytes);
    }
    const size_t length = Get<uint32_t>(offset + kFrameLength, bytes);
    if (((leave & kBadPayloads) == 0 || frame % 2 != 0) && length <= bytes.size() - payload) {
      Put(offset + kFramePayloadChecksum,
          shuffler::PayloadChecksum(AsBytes(bytes).subspan(payload, length), salt), bytes);
    }
    if ((leave & kBadHeaders) == 0 || frame % 3 != 0) {
      Put(offset + kFrameChecksum,
          shuffler::PayloadChecksum(AsBytes(bytes).subspan(offset, kFrameChecksum), salt), bytes);
    }
    if (length > bytes.size() - payload) return;
    offset = payload + length;
  }
}

void RepairSeen(std::string& bytes, bool count) {
  if (bytes.size() < kSeenHeader) return;
  if (count) Put(kSeenCount, static_cast<int64_t>((bytes.size() - kSeenHeader) / kDigest), bytes);
  Put(kSeenChecksum, shuffler::Crc32c(AsBytes(bytes).subspan(kSeenHeader)), bytes);
  RepairHeader(bytes, kSeenHeader);
}

}  // namespace tombola::fuzz
