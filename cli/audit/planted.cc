#include "cli/audit/planted.h"

#include <cmath>
#include <utility>

#include "absl/types/span.h"
#include "common/table/local_hash_report.h"

namespace tombola::cli {
namespace {

uint64_t ThresholdOf(double probability) {
  const double scaled = std::ldexp(probability, 64);
  return scaled >= 0x1p64 ? ~uint64_t{0} : static_cast<uint64_t>(scaled);
}

}  // namespace

Step3Encoder::Step3Encoder(std::shared_ptr<const mechanism::Table> table)
    : table_(std::move(table)),
      hashing_(*table_->hashing()),
      truthful_threshold_(ThresholdOf(table_->count_model().support.holder)) {}

int64_t Step3Encoder::Encode(absl::Span<const uint64_t> cells, RandomSource& random,
                             std::string* out) const {
  const uint64_t value = cells.front();
  if (hashing_.options().family == mechanism::HashFamily::kPlane) {
    EncodeInto(hashing_.DrawPlane(random), value, random, out);
  } else {
    EncodeInto(hashing_.DrawAffine(random), value, random, out);
  }
  return 1;
}

template <typename Report>
void Step3Encoder::EncodeInto(Report report, uint64_t value, RandomSource& random,
                              std::string* out) const {
  if (BernoulliBelow(truthful_threshold_, random)) {
    report.bucket = hashing_.Bucket(report, value);
  }
  const size_t start = out->size();
  out->resize(start + Report::kBytes);
  mechanism::Write(report,
                   absl::MakeSpan(reinterpret_cast<uint8_t*>(out->data()) + start, Report::kBytes));
}

}  // namespace tombola::cli
