#include "common/totals/increment_log.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/encoding.h"
#include "common/base/status_macros.h"
#include "common/disk/directory.h"
#include "common/disk/whole_file.h"

namespace tombola::stream {
namespace {

constexpr size_t kMostBytesOfNumber = 9;             // 63 bits
constexpr size_t kHeadBytes = 2 * sizeof(uint32_t);  // the length and its complement
constexpr size_t kFixedBytes = 24;
constexpr size_t kMostRecordBytes =
    kFixedBytes + kMostBytesOfNumber * IncrementLog::kMostTogether + crypto::kSealOverhead;

void PutShort(int64_t number, std::string& out) {
  auto rest = static_cast<uint64_t>(number);
  for (; rest >= 128; rest >>= 7) out.push_back(static_cast<char>(128 | (rest & 127)));
  out.push_back(static_cast<char>(rest));
}

// False at the end, or where no number below 2^63 follows.
bool TakeShort(Decoder& in, int64_t* number) {
  uint64_t value = 0;
  for (size_t i = 0; i < kMostBytesOfNumber; ++i) {
    const auto byte = in.Number<uint8_t>();
    value |= static_cast<uint64_t>(byte & 127) << (7 * i);
    if (byte < 128) {
      *number = static_cast<int64_t>(value);
      return in.ok();
    }
  }
  return false;
}

std::string PlaceOf(int64_t record) {
  std::string place = "increments";
  PutNumber(record, place);
  return place;
}

bool Decode(absl::Span<const uint8_t> bytes, IncrementGroup* group) {
  Decoder in(bytes);
  group->before = in.Number<int64_t>();
  group->fingerprint = in.Number<uint64_t>();
  group->total = in.Number<int64_t>();
  group->increments.clear();
  while (in.ok() && in.left() > 0) {
    int64_t increment = 0;
    if (!TakeShort(in, &increment)) return false;
    group->increments.push_back(increment);
  }
  return in.ok();
}

absl::StatusOr<bool> OnlyZeros(const File& file, int64_t from, int64_t to) {
  std::vector<uint8_t> bytes(4096);
  while (from < to) {
    const auto some = absl::MakeSpan(bytes).first(
        static_cast<size_t>(std::min<int64_t>(to - from, static_cast<int64_t>(bytes.size()))));
    TOMBOLA_RETURN_IF_ERROR(file.ReadAt(from, some));
    if (std::any_of(some.begin(), some.end(), [](uint8_t byte) { return byte != 0; })) return false;
    from += static_cast<int64_t>(some.size());
  }
  return true;
}

// The bytes of the record at `from`; empty if it was cut short by the end of the file.
absl::StatusOr<std::string> ReadRecord(const File& file, int64_t from, int64_t size) {
  std::array<uint8_t, kHeadBytes> head;
  if (size - from < static_cast<int64_t>(head.size())) return std::string();
  TOMBOLA_RETURN_IF_ERROR(file.ReadAt(from, absl::MakeSpan(head)));
  const auto bytes = LoadNumber<uint32_t>(head.data());
  // A length that was damaged must not pass for a record that was cut short: what follows it was
  // released, and the same noise would be drawn for what comes in its place.
  const bool whole = LoadNumber<uint32_t>(head.data() + sizeof(uint32_t)) == ~bytes;
  if (!whole || bytes < crypto::kSealOverhead || bytes > kMostRecordBytes) {
    // A file that grew before its bytes were written.
    TOMBOLA_ASSIGN_OR_RETURN(const bool zeros, OnlyZeros(file, from, size));
    if (zeros) return std::string();
    return absl::DataLossError(absl::StrCat(file.path(), " is damaged at byte ", from));
  }
  from += static_cast<int64_t>(head.size());
  if (size - from < static_cast<int64_t>(bytes)) return std::string();
  std::string sealed(bytes, '\0');
  TOMBOLA_RETURN_IF_ERROR(
      file.ReadAt(from, absl::MakeSpan(reinterpret_cast<uint8_t*>(sealed.data()), sealed.size())));
  return sealed;
}

}  // namespace

absl::Status IncrementLog::Make(const std::string& path) {
  TOMBOLA_RETURN_IF_ERROR(RemoveFile(path));
  return WriteNewFile(path, "");
}

absl::StatusOr<IncrementLog> IncrementLog::Open(
    const std::string& path, const crypto::SealingKey& key,
    absl::FunctionRef<absl::Status(const IncrementGroup&)> tell) {
  TOMBOLA_ASSIGN_OR_RETURN(File file, File::OpenToWrite(path));
  IncrementLog log(std::move(file));
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t size, log.file_.Size());
  IncrementGroup group;
  while (log.end_ < size) {
    TOMBOLA_ASSIGN_OR_RETURN(const std::string sealed, ReadRecord(log.file_, log.end_, size));
    if (sealed.empty()) break;
    const auto opened = key.Open(sealed, PlaceOf(log.records_));
    if (!opened.ok() || !Decode(opened->ExposeSecret(), &group)) {
      return absl::DataLossError(absl::StrCat(path, " is damaged at byte ", log.end_));
    }
    TOMBOLA_RETURN_IF_ERROR(tell(group));
    ++log.records_;
    log.end_ += static_cast<int64_t>(kHeadBytes + sealed.size());
  }
  if (log.end_ < size) {
    TOMBOLA_RETURN_IF_ERROR(log.file_.Truncate(log.end_));
    TOMBOLA_RETURN_IF_ERROR(log.file_.SyncData());
  }
  return log;
}

absl::Status IncrementLog::Append(const IncrementGroup& group, const crypto::SealingKey& key,
                                  RandomSource& random) {
  TOMBOLA_CHECK(group.increments.size() <= kMostTogether);
  std::string plain;
  PutNumber(group.before, plain);
  PutNumber(group.fingerprint, plain);
  PutNumber(group.total, plain);
  for (const int64_t increment : group.increments) PutShort(increment, plain);
  const std::string sealed = key.Seal(AsBytes(plain), PlaceOf(records_), random);
  std::string record;
  PutNumber(static_cast<uint32_t>(sealed.size()), record);
  PutNumber(~static_cast<uint32_t>(sealed.size()), record);
  record += sealed;
  TOMBOLA_RETURN_IF_ERROR(file_.WriteAt(end_, AsBytes(record)));
  TOMBOLA_RETURN_IF_ERROR(file_.SyncData());
  ++records_;
  end_ += static_cast<int64_t>(record.size());
  return absl::OkStatus();
}

}  // namespace tombola::stream
