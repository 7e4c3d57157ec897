#include "common/stream/running_totals.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/random/keyed_random.h"

namespace tombola::stream {
namespace {

constexpr int64_t kLargestTotal = int64_t{1} << 62;

// The question about a block.
Question OfBlock(const TotalsOptions& options, int64_t block) {
  Question question = options.question;
  if (!options.unbounded) return question;
  const auto& method = options.question.method;
  const int64_t most = method.has_value() ? MostPeriods(*method) : kMostPeriods;
  question.periods =
      int64_t{1} << std::min<int64_t>(block, std::bit_width(static_cast<uint64_t>(most)) - 1);
  // All totals of the next block begin with this one's last, and those after it.
  question.last_weight = 2 * question.periods;
  return question;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RunningTotals>> RunningTotals::Create(const TotalsOptions& options,
                                                                     RandomSource* seed) {
  std::unique_ptr<RunningTotals> totals(new RunningTotals(options, seed));
  TOMBOLA_RETURN_IF_ERROR(totals->BeginBlock());
  if (options.largest < options.question.sensitivity || options.largest > kLargestIncrement) {
    return absl::InvalidArgumentError(
        absl::StrCat("largest must be in [", options.question.sensitivity,
                     ", 2^32], from the sensitivity on, is ", options.largest));
  }
  return totals;
}

absl::Status RunningTotals::BeginBlock() {
  const Question question = OfBlock(options_, block_ + 1);
  if (design_ == nullptr || design_->periods != question.periods) {
    TOMBOLA_ASSIGN_OR_RETURN(design_, MakeDesign(question));
  }
  noise_ = std::make_unique<KeyedRandom>(*seed_);
  release_ = Release::Make(design_, noise_.get());
  ++block_;
  in_block_ = 0;
  before_ = last_;
  return absl::OkStatus();
}

bool RunningTotals::finished() const { return !options_.unbounded && periods_ == design_->periods; }

int64_t RunningTotals::left() const {
  const int64_t countable = kLargestTotal / options_.largest - periods_;
  return options_.unbounded ? countable : std::min(countable, design_->periods - periods_);
}

absl::Status RunningTotals::Check(int64_t increment) const {
  if (increment < 0 || increment > options_.largest) {
    return absl::InvalidArgumentError(
        absl::StrCat("an increment must be in [0, ", options_.largest, "]"));
  }
  if (finished()) {
    return absl::OutOfRangeError(
        absl::StrCat("there are no more than ", design_->periods, " periods"));
  }
  if (left() == 0) return absl::OutOfRangeError("the total could be above 2^62");
  return absl::OkStatus();
}

absl::StatusOr<NoisyTotal> RunningTotals::Next(int64_t increment) {
  TOMBOLA_RETURN_IF_ERROR(Check(increment));
  if (in_block_ == design_->periods) TOMBOLA_RETURN_IF_ERROR(BeginBlock());
  last_ = release_->Next(increment);
  last_.total += before_.total;
  last_.variance += before_.variance;
  ++in_block_;
  ++periods_;
  return last_;
}

std::string RunningTotals::Save() const {
  std::string out;
  for (const int64_t number : {periods_, block_, in_block_, before_.total, last_.total}) {
    PutNumber(number, out);
  }
  PutNumber(std::bit_cast<uint64_t>(before_.variance), out);
  PutNumber(std::bit_cast<uint64_t>(last_.variance), out);
  release_->Save(out);
  return out;
}

absl::Status RunningTotals::Load(absl::Span<const uint8_t> saved) {
  Decoder in(saved);
  const auto periods = in.Number<int64_t>();
  const auto block = in.Number<int64_t>();
  const auto in_block = in.Number<int64_t>();
  const auto before = in.Number<int64_t>();
  const auto last = in.Number<int64_t>();
  const auto before_variance = std::bit_cast<double>(in.Number<uint64_t>());
  const auto last_variance = std::bit_cast<double>(in.Number<uint64_t>());
  // Every block but the first has been begun by an increment.
  if (!in.ok() || block < 0 || block > (options_.unbounded ? periods : 0) || in_block < 0 ||
      in_block > periods) {
    return absl::FailedPreconditionError("what was saved is not of such a stream");
  }
  int64_t begun = 0;
  while (block_ < block) {
    begun += design_->periods;
    TOMBOLA_RETURN_IF_ERROR(BeginBlock());
  }
  if (in_block > design_->periods || begun + in_block != periods) {
    return absl::FailedPreconditionError("what was saved is not of such a stream");
  }
  TOMBOLA_RETURN_IF_ERROR(release_->Load(in_block, in));
  if (in.left() != 0) {
    return absl::FailedPreconditionError("what was saved is not of such a stream");
  }
  periods_ = periods;
  in_block_ = in_block;
  before_ = {before, before_variance};
  last_ = {last, last_variance};
  return absl::OkStatus();
}

absl::StatusOr<UnboundedVariance> PredictUnbounded(const TotalsOptions& options, int blocks) {
  UnboundedVariance variance;
  double before = 0, sum = 0;
  for (int block = 0; block < blocks; ++block) {
    TOMBOLA_ASSIGN_OR_RETURN(const auto design, MakeDesign(OfBlock(options, block)));
    sum += static_cast<double>(design->periods) * (before + design->mean_variance);
    variance.max = std::max(variance.max, before + design->max_variance);
    variance.periods += design->periods;
    before += design->last_variance;
  }
  variance.mean = sum / static_cast<double>(variance.periods);
  return variance;
}

}  // namespace tombola::stream
