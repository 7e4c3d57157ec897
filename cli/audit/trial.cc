#include "cli/audit/trial.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/base/status_macros.h"

namespace tombola::cli {
namespace {

constexpr uint64_t kFirst = 0;
constexpr uint64_t kSecond = 1;

absl::Span<const uint8_t> Bytes(absl::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// The value that all but the victim hold, if it can be one besides the victim's two.
std::optional<uint64_t> OthersApart(const mechanism::Mechanism& mechanism) {
  if (mechanism.domain_size() == 2) return std::nullopt;
  return kSecond + 1;
}

}  // namespace

AuditCounts::AuditCounts(std::shared_ptr<const mechanism::Mechanism> mechanism,
                         std::optional<uint64_t> known)
    : report_bytes_(mechanism->report_bytes()),
      known_(known),
      aggregator_(collector::MakeAggregator(std::move(mechanism))) {}

absl::StatusOr<AuditCounts::Pair> AuditCounts::Of(absl::string_view reports) {
  Pair sum;
  for (; !reports.empty(); reports.remove_prefix(report_bytes_)) {
    if (reports.size() < report_bytes_ ||
        aggregator_->Add(Bytes(reports.substr(0, report_bytes_))) !=
            mechanism::ReportState::kValid) {
      return absl::InternalError("the encoder made a report that a collector refuses");
    }
    const std::vector<int64_t>& counts = aggregator_->counts();
    const Support now{counts[kFirst], counts[kSecond], known_.has_value() ? counts[*known_] : 0};
    if (now.known == before_.known) {
      sum.first += now.first - before_.first;
      sum.second += now.second - before_.second;
    }
    before_ = now;
  }
  return sum;
}

LocalTrial::LocalTrial(std::shared_ptr<const mechanism::Mechanism> mechanism,
                       std::shared_ptr<const client::Encoder> encoder)
    : encoder_(std::move(encoder)), counts_(std::move(mechanism), std::nullopt) {}

absl::StatusOr<double> LocalTrial::Score(uint64_t value, RandomSource& random) {
  reports_.clear();
  const int64_t number = encoder_->Encode(value, random, &reports_);
  TOMBOLA_ASSIGN_OR_RETURN(const AuditCounts::Pair counts, counts_.Of(reports_));
  if (counts.first == counts.second) return 0;
  const double certainty = number == 1 ? 2 : 1;
  return counts.first > counts.second ? certainty : -certainty;
}

absl::StatusOr<Scores> LocalTrial::Run(RandomSource& random) {
  Scores scores;
  TOMBOLA_ASSIGN_OR_RETURN(scores.first, Score(kFirst, random));
  TOMBOLA_ASSIGN_OR_RETURN(scores.second, Score(kSecond, random));
  return scores;
}

MemoTrial::MemoTrial(std::shared_ptr<const mechanism::Mechanism> mechanism, int64_t reports,
                     bool drawn_anew)
    : mechanism_(std::move(mechanism)),
      reports_(reports),
      drawn_anew_(drawn_anew),
      report_(mechanism_->report_bytes()) {}

double MemoTrial::Score(uint64_t value, RandomSource& random) {
  const mechanism::Bloom& bloom = *mechanism_->bloom();
  mechanism::BloomMemo memo = bloom.DrawMemo(value, random);
  int64_t difference = 0;
  for (int64_t i = 0; i < reports_; ++i) {
    if (i > 0 && drawn_anew_) memo = bloom.DrawMemo(value, random);
    bloom.Say(memo, random, absl::MakeSpan(report_));
    for (const uint8_t bit : bloom.BitsOf(0)) difference += mechanism::Bloom::Has(report_, bit);
    for (const uint8_t bit : bloom.BitsOf(1)) difference -= mechanism::Bloom::Has(report_, bit);
  }
  return static_cast<double>(difference);
}

absl::StatusOr<Scores> MemoTrial::Run(RandomSource& random) {
  const double first = Score(0, random);
  return Scores{.first = first, .second = Score(1, random)};
}

BatchTrial::BatchTrial(std::shared_ptr<const mechanism::Mechanism> mechanism,
                       std::shared_ptr<const client::Encoder> encoder, int64_t users)
    : mechanism_(std::move(mechanism)),
      encoder_(std::move(encoder)),
      users_(users),
      counts_(mechanism_, OthersApart(*mechanism_)) {
  const mechanism::CountModel model = mechanism_->count_model();
  difference_ = model.difference_shape > 0;
  holder_ = model.support.holder;
  other_ = holder_ * std::exp(-mechanism_->local_epsilon());
  const auto devices = static_cast<double>(users);
  background_ = devices * (other_ + model.noise_mean) +
                static_cast<double>(mechanism_->fakes()) * model.fake_support;
  if (!OthersApart(*mechanism_).has_value()) from_others_ = (devices - 1) * (holder_ - other_);
}

void BatchTrial::DrawCover(RandomSource& random) {
  reports_.clear();
  const uint64_t held = OthersApart(*mechanism_).value_or(kSecond);
  for (int64_t i = 1; i < users_; ++i) encoder_->Encode(held, random, &reports_);
  const size_t bytes = mechanism_->report_bytes();
  for (int64_t i = 0; i < mechanism_->fakes(); ++i) {
    const size_t start = reports_.size();
    reports_.resize(start + bytes);
    mechanism_->DrawFake(
        random, absl::MakeSpan(reinterpret_cast<uint8_t*>(reports_.data()) + start, bytes));
  }
}

// With T(a, b) = Pr[a, b are the counts of all but the victim], the ratio of
//   holder T(a-1, b) + other T(a, b-1) + (1 - holder - other) T(a, b)
// to the same with the two exchanged, where T(a-1, b) / T(a, b) = a / background for independent
// Poisson counts.
double BatchTrial::Score(const AuditCounts::Pair& cover, const AuditCounts::Pair& victim) const {
  const double a = static_cast<double>(cover.first + victim.first);
  const double b = static_cast<double>(cover.second + victim.second) - from_others_;
  if (difference_) return a - b;
  const double neither = std::max(0.0, 1 - holder_ - other_) * background_;
  const double first = std::max(0.0, holder_ * a + other_ * b + neither);
  const double second = std::max(0.0, other_ * a + holder_ * b + neither);
  if (second > 0) return first / second;
  return first > 0 ? std::numeric_limits<double>::infinity() : 1;
}

absl::StatusOr<Scores> BatchTrial::Run(RandomSource& random) {
  DrawCover(random);
  TOMBOLA_ASSIGN_OR_RETURN(const AuditCounts::Pair cover, counts_.Of(reports_));
  Scores scores;
  for (const auto& [value, score] : {std::pair{kFirst, &scores.first}, {kSecond, &scores.second}}) {
    reports_.clear();
    encoder_->Encode(value, random, &reports_);
    TOMBOLA_ASSIGN_OR_RETURN(const AuditCounts::Pair victim, counts_.Of(reports_));
    *score = Score(cover, victim);
  }
  return scores;
}

}  // namespace tombola::cli
