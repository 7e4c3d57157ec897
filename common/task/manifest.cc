#include "common/task/manifest.h"

#include "absl/strings/str_cat.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {
namespace {

constexpr uint64_t kMaxReports = uint64_t{1} << 40;

absl::Status Refuse(absl::string_view field, absl::string_view bound) {
  return absl::InvalidArgumentError(absl::StrCat("manifest.", field, " must be ", bound));
}

}  // namespace

absl::StatusOr<Manifest> Manifest::Parse(absl::string_view bytes) {
  v1::Manifest wire;
  if (!wire.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError("manifest must be a serialised tombola.v1.Manifest");
  }
  const auto task = RequireId<TaskId>("manifest.task_id", wire.task_id());
  if (!task.ok()) return task.status();
  const auto batch = RequireId<BatchId>("manifest.batch_id", wire.batch_id());
  if (!batch.ok()) return batch.status();
  const auto key = RequireId<KeyId>("manifest.key_id", wire.key_id());
  if (!key.ok()) return key.status();
  const auto sum = RequireId<std::array<uint8_t, 32>>("manifest.digest_sum", wire.digest_sum());
  if (!sum.ok()) return sum.status();
  if (wire.reports_out() == 0 || wire.reports_out() > kMaxReports) {
    return Refuse("reports_out", "between 1 and 2^40");
  }
  if (wire.reports_in() > kMaxReports || wire.fakes() > kMaxReports ||
      wire.reports_in() + wire.fakes() != wire.reports_out()) {
    return Refuse("reports_out", "reports_in + fakes");
  }
  if (wire.submissions() == 0 || wire.submissions() > wire.reports_in()) {
    return Refuse("submissions", "between 1 and reports_in");
  }
  if (wire.duplicates() > kMaxReports) return Refuse("duplicates", "at most 2^40");
  return Manifest{.of = {.task = *task, .key = *key, .part = wire.part()},
                  .batch = *batch,
                  .submissions = static_cast<int64_t>(wire.submissions()),
                  .reports_in = static_cast<int64_t>(wire.reports_in()),
                  .duplicates = static_cast<int64_t>(wire.duplicates()),
                  .fakes = static_cast<int64_t>(wire.fakes()),
                  .reports_out = static_cast<int64_t>(wire.reports_out()),
                  .digest_sum = *sum};
}

std::string Manifest::Serialise() const {
  v1::Manifest wire;
  wire.set_task_id(std::string(AsView(of.task)));
  wire.set_batch_id(std::string(AsView(batch)));
  wire.set_key_id(std::string(AsView(of.key)));
  wire.set_part(of.part);
  wire.set_submissions(static_cast<uint64_t>(submissions));
  wire.set_reports_in(static_cast<uint64_t>(reports_in));
  wire.set_duplicates(static_cast<uint64_t>(duplicates));
  wire.set_fakes(static_cast<uint64_t>(fakes));
  wire.set_reports_out(static_cast<uint64_t>(reports_out));
  wire.set_digest_sum(std::string(AsView(digest_sum)));
  return wire.SerializeAsString();
}

}  // namespace tombola
