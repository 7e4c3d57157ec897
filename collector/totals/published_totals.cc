#include "collector/totals/published_totals.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "common/base/status_macros.h"
#include "common/crypto/sha256.h"
#include "common/disk/whole_file.h"

namespace tombola::collector {
namespace {

using stream::LastingTotals;
using stream::NoisyTotal;

constexpr absl::string_view kTitle = "tombola released totals 1";
constexpr size_t kLinesBefore = 8;  // the totals
constexpr size_t kMostBytes = size_t{64} << 20;

std::string ReleasedOf(const std::string& directory) { return directory + "/released"; }

absl::Status Damaged(const std::string& directory) {
  return absl::DataLossError(absl::StrCat(ReleasedOf(directory), " is damaged"));
}

std::string DigestOf(absl::string_view text) {
  const crypto::Sha256Digest digest = crypto::Sha256(text);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

// Of a line of two.
absl::StatusOr<NoisyTotal> TotalFrom(absl::string_view line, const std::string& directory) {
  const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
  NoisyTotal total;
  if (words.size() != 2 || !absl::SimpleAtoi(words[0], &total.total) ||
      !absl::SimpleAtod(words[1], &total.variance)) {
    return Damaged(directory);
  }
  return total;
}

}  // namespace

absl::StatusOr<std::unique_ptr<PublishedTotals>> PublishedTotals::Begin(
    const std::string& directory, const crypto::SealingKey& key,
    const stream::TotalsOptions& options, int64_t submissions, RandomSource& random) {
  std::unique_ptr<PublishedTotals> made(new PublishedTotals(directory));
  TOMBOLA_ASSIGN_OR_RETURN(made->lasting_, LastingTotals::Begin(directory, key, options, random));
  made->TakeTerms(submissions);
  return made;
}

absl::StatusOr<std::unique_ptr<PublishedTotals>> PublishedTotals::Open(
    const std::string& directory, const crypto::SealingKey* key, int64_t submissions,
    RandomSource& random) {
  TOMBOLA_ASSIGN_OR_RETURN(const LastingTotals::Found found, LastingTotals::LookIn(directory));
  std::unique_ptr<PublishedTotals> made(new PublishedTotals(directory));
  if (found == LastingTotals::Found::kEnded) {
    TOMBOLA_RETURN_IF_ERROR(LastingTotals::FinishErasing(directory));
    TOMBOLA_RETURN_IF_ERROR(made->Read());
    return made;
  }
  if (key == nullptr) return absl::DataLossError("the key that seals them is missing");
  TOMBOLA_ASSIGN_OR_RETURN(
      made->lasting_,
      LastingTotals::GoOn(directory, *key, random, [&](int64_t, const NoisyTotal& total) {
        made->released_.push_back(total);
      }));
  made->TakeTerms(submissions);
  return made;
}

void PublishedTotals::TakeTerms(int64_t submissions) {
  const stream::Design& design = lasting_->totals().design();
  terms_ = {.structure = std::string(stream::NameOf(design.method)),
            .epsilon = design.epsilon,
            .delta = design.delta,
            .submission_epsilon = stream::EpsilonOfPart(design, submissions),
            .sensitivity = lasting_->options().question.sensitivity,
            .intervals = lasting_->options().question.intervals,
            .mean_variance = design.mean_variance,
            .gaussian = stream::IsGaussian(design.method)};
}

absl::Status PublishedTotals::Publish(absl::Span<const int64_t> exact) {
  std::vector<int64_t> increments;
  increments.reserve(exact.size());
  int64_t before = lasting_->exact();
  for (const int64_t total : exact) {
    increments.push_back(std::clamp<int64_t>(total - before, 0, lasting_->options().largest));
    before += increments.back();
  }
  return lasting_->Take(increments, released_);
}

absl::Status PublishedTotals::End() {
  if (ended()) return absl::OkStatus();
  TOMBOLA_RETURN_IF_ERROR(ReplaceFile(ReleasedOf(directory_), Written(), 0600));
  TOMBOLA_RETURN_IF_ERROR(lasting_->End());
  lasting_ = nullptr;
  return absl::OkStatus();
}

std::string PublishedTotals::Written() const {
  std::string text =
      absl::StrFormat("%s\n%s\n%.17g\n%.17g\n%.17g\n%d\n%d\n%d\n", kTitle, terms_.structure,
                      terms_.epsilon, terms_.delta, terms_.submission_epsilon, terms_.intervals,
                      terms_.sensitivity, static_cast<int64_t>(released_.size()));
  for (const NoisyTotal& total : released_) {
    absl::StrAppendFormat(&text, "%d %.17g\n", total.total, total.variance);
  }
  return absl::StrCat(text, "sha256 ", DigestOf(text), "\n");
}

absl::Status PublishedTotals::Read() {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string text,
                           ReadSmallFile(ReleasedOf(directory_), kMostBytes));
  const size_t end = text.rfind("sha256 ");
  if (end == std::string::npos ||
      absl::string_view(text).substr(end) !=
          absl::StrCat("sha256 ", DigestOf(absl::string_view(text).substr(0, end)), "\n")) {
    return Damaged(directory_);
  }
  const std::vector<absl::string_view> lines =
      absl::StrSplit(absl::string_view(text).substr(0, end), '\n');
  int64_t count = 0;
  if (lines.size() < kLinesBefore + 1 || lines[0] != kTitle ||
      !absl::SimpleAtod(lines[2], &terms_.epsilon) || !absl::SimpleAtod(lines[3], &terms_.delta) ||
      !absl::SimpleAtod(lines[4], &terms_.submission_epsilon) ||
      !absl::SimpleAtoi(lines[5], &terms_.intervals) ||
      !absl::SimpleAtoi(lines[6], &terms_.sensitivity) || !absl::SimpleAtoi(lines[7], &count) ||
      count != static_cast<int64_t>(lines.size() - kLinesBefore) - 1) {
    return Damaged(directory_);
  }
  terms_.structure = std::string(lines[1]);
  for (const stream::Method method : stream::kMethods) {
    if (stream::NameOf(method) == lines[1]) terms_.gaussian = stream::IsGaussian(method);
  }
  released_.clear();
  double variances = 0;
  for (int64_t i = 0; i < count; ++i) {
    TOMBOLA_ASSIGN_OR_RETURN(const NoisyTotal total,
                             TotalFrom(lines[kLinesBefore + static_cast<size_t>(i)], directory_));
    variances += total.variance;
    released_.push_back(total);
  }
  terms_.mean_variance = count == 0 ? 0 : variances / static_cast<double>(count);
  return absl::OkStatus();
}

}  // namespace tombola::collector
