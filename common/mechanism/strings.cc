#include "common/mechanism/strings.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/mechanism/grr.h"
#include "common/mechanism/pure_dump.h"
#include "common/table/domain_size.h"
#include "common/table/support.h"
#include "common/table/threshold.h"

namespace tombola::mechanism {

using strings::StringMessages;
using strings::StringReport;

absl::string_view NameOf(StringMessages messages) {
  switch (messages) {
    case StringMessages::kOne:
      return "one_message";
    case StringMessages::kDummies:
      return "dummies";
    case StringMessages::kEveryLevel:
      return "every_level";
  }
  TOMBOLA_CHECK(false && "a way to send without a name");
  return "";
}

absl::StatusOr<std::shared_ptr<const Strings>> Strings::Create(const strings::Shape& shape,
                                                               const StringsOptions& options) {
  if (options.messages == StringMessages::kOne) {
    if (options.blanket_threshold < 1) {
      return absl::InvalidArgumentError(
          "strings.one_message.blanket_threshold is 0; it must be at least 1");
    }
    TOMBOLA_ASSIGN_OR_RETURN(Grr response,
                             Grr::Create({.blanket_threshold = options.blanket_threshold,
                                          .domain_size = shape.range(),
                                          .filling = {}}));
    return std::shared_ptr<const Strings>(new Strings(
        shape, options, std::make_shared<const Grr>(std::move(response)), std::nullopt));
  }
  const bool every = options.messages == StringMessages::kEveryLevel;
  const int64_t sent = every ? shape.levels() : 1;
  const int64_t buckets = sent * shape.range();
  if (buckets > kLargestDomain) {
    return absl::InvalidArgumentError(absl::StrCat("strings.range is ", shape.range(),
                                                   "; all levels together must have at most ",
                                                   kLargestDomainText, " buckets"));
  }
  TOMBOLA_ASSIGN_OR_RETURN(
      Dummies dummies,
      Dummies::Create(options.dummies, absl::StrCat("strings.", NameOf(options.messages), ".")));
  TOMBOLA_ASSIGN_OR_RETURN(
      PureDump hiding,
      PureDump::Create(options.dummies, buckets, {.held = sent, .sent = sent, .units = 1}));
  return std::shared_ptr<const Strings>(new Strings(
      shape, options, std::make_shared<const PureDump>(std::move(hiding)), std::move(dummies)));
}

Strings::Strings(const strings::Shape& shape, const StringsOptions& options,
                 std::shared_ptr<const Mechanism> hiding, std::optional<Dummies> dummies)
    : shape_(shape), options_(options), hiding_(std::move(hiding)), dummies_(std::move(dummies)) {}

Parameters Strings::parameters() const {
  Parameters parameters = hiding_->parameters();
  parameters.max_items.reset();
  parameters.sent.reset();
  parameters.range = static_cast<double>(shape_.range());
  return parameters;
}

double Strings::gamma() const {
  return options_.messages == StringMessages::kOne ? FractionRoundedDown(options_.blanket_threshold)
                                                   : 0;
}

// A report is at the level with probability 1 / levels, or where all are sent one is.
CountModel Strings::count_model() const {
  const auto levels = static_cast<double>(shape_.levels());
  const auto range = static_cast<double>(shape_.range());
  const double there = static_cast<double>(cells()) / levels;
  const double truthful =
      options_.messages == StringMessages::kOne ? ComplementOf(options_.blanket_threshold) : 1.0;
  CountModel model{.support = UniversalSupport(range, truthful)};
  model.support.holder *= there;
  model.support.other *= there;
  model.support.separation *= there;
  if (dummies_.has_value()) {
    dummies_->AddTo(model, shape_.levels() * shape_.range());
  }
  return model;
}

void Strings::DrawFake(RandomSource& random, absl::Span<uint8_t> report) const {
  Write(AnyReport(random), report);
}

uint64_t Strings::CellOf(const StringReport& report) const {
  const uint64_t row = uint64_t{report.level} * strings::kFunctions + report.function;
  return row * static_cast<uint64_t>(shape_.range()) + report.bucket;
}

StringReport Strings::ReportOf(uint64_t cell) const {
  const auto range = static_cast<uint64_t>(shape_.range());
  const uint64_t row = cell / range;
  return {.level = static_cast<uint8_t>(row / strings::kFunctions),
          .function = static_cast<uint8_t>(row % strings::kFunctions),
          .bucket = static_cast<uint32_t>(cell % range)};
}

// The level and the function are uniform already, and of no string: a uniform bucket at them is a
// uniform cell.
StringReport Strings::Randomised(uint64_t cell, RandomSource& random) const {
  StringReport report = ReportOf(cell);
  if (options_.messages != StringMessages::kOne) return report;
  const auto uniform = static_cast<uint32_t>(random.Next64() >> (64 - shape_.range_bits()));
  if (BernoulliBelow(options_.blanket_threshold, random)) report.bucket = uniform;
  return report;
}

StringReport Strings::AnyReport(RandomSource& random) const {
  StringReport report;
  report.level = static_cast<uint8_t>(UniformBelow(static_cast<uint64_t>(shape_.levels()), random));
  const uint64_t word = random.Next64();
  report.function = static_cast<uint8_t>(word >> 56);
  report.bucket = static_cast<uint32_t>((word << 8) >> (64 - shape_.range_bits()));
  return report;
}

int64_t Strings::DrawDummies(RandomSource& random) const {
  return dummies_.has_value() ? dummies_->Draw(random) : 0;
}

}  // namespace tombola::mechanism
