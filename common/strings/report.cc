#include "common/strings/report.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/encoding.h"

namespace tombola::strings {

void Write(const StringReport& report, absl::Span<uint8_t> out) {
  TOMBOLA_CHECK(out.size() == StringReport::kBytes);
  out[0] = report.level;
  out[1] = report.function;
  StoreNumber(report.bucket, &out[2]);
}

absl::StatusOr<StringReport> ReadStringReport(absl::Span<const uint8_t> bytes, const Shape& shape) {
  if (bytes.size() != StringReport::kBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a report must be ", StringReport::kBytes, " bytes, is ", bytes.size()));
  }
  const StringReport report = LoadReport(bytes);
  if (report.level >= shape.levels()) {
    return absl::InvalidArgumentError(
        absl::StrCat("level must be below ", shape.levels(), ", is ", report.level));
  }
  if (report.bucket >= shape.range()) {
    return absl::InvalidArgumentError(
        absl::StrCat("bucket must be below ", shape.range(), ", is ", report.bucket));
  }
  return report;
}

}  // namespace tombola::strings
