#include "collector/answer/number.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "collector/answer/bin_range.h"
#include "collector/answer/counted_numbers.h"
#include "collector/answer/number_moments.h"
#include "collector/answer/quantiles.h"
#include "common/base/status_macros.h"
#include "common/json/number.h"
#include "common/kind/number.h"

namespace tombola::collector {
namespace {

absl::Status CheckQuantiles(const v1::NumberQuestion& question) {
  TOMBOLA_RETURN_IF_ERROR(CheckFractions(question.fractions()));
  if (question.fractions().empty() || !question.has_where()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "quantiles are those of all numbers: ask for them without where");
}

absl::Status Check(const v1::NumberQuestion& question, const NumberCells& cells) {
  if (cells.levels.has_value() &&
      (!question.fractions().empty() || question.has_where() || question.bins() > 0)) {
    return absl::InvalidArgumentError(
        "quantiles, where and bins cannot be asked for: the task counts numbers for their mean "
        "alone (--mean-only)");
  }
  return CheckQuantiles(question);
}

std::string Counted(const NumberCells& cells) {
  const auto leaves = cells.tree.leaves();
  if (cells.levels.has_value()) return absl::StrCat(leaves, " levels, dithered");
  if (cells.tree.levels() == 1) return absl::StrCat(leaves, " bins");
  return absl::StrCat("a tree of ", cells.tree.levels(), " levels over ", leaves, " bins");
}

// The range's bins, joined to at most so many of equal numbers; 0: not joined.
std::vector<BinRange> Joined(const BinRange& range, uint64_t most) {
  const auto bins = static_cast<uint64_t>(range.end() - range.begin());
  const uint64_t rows = most == 0 ? bins : std::min(most, bins);
  const uint64_t together = (bins + rows - 1) / rows;
  std::vector<BinRange> joined;
  for (int64_t bin = range.begin(); bin < range.end(); bin += static_cast<int64_t>(together)) {
    const auto low = static_cast<double>(bin);
    joined.push_back({.first = std::max(low, range.first),
                      .last = std::min(low + static_cast<double>(together), range.last)});
  }
  return joined;
}

// Of one question about one task.
class Filler {
 public:
  Filler(const NumberCells& cells, const CountedNumbers& numbers,
         const v1::NumberQuestion& question, const std::optional<BinRange>& where)
      : cells_(cells),
        numbers_(numbers),
        question_(question),
        where_(where.has_value()),
        range_(where.value_or(BinRange::All(cells.bins))),
        moments_(numbers, cells, range_),
        with_number_(NumberMoments(numbers, cells, BinRange::All(cells.bins)).ShareOfDevices()) {}

  absl::Status Fill(Postprocess postprocess, const Evidence& evidence,
                    v1::Distribution* body) const {
    if (where_) *body->mutable_where() = question_.where();
    body->set_counted(Counted(cells_));
    *body->mutable_fractions() = question_.fractions();
    FillCount(body);
    if (where_) body->set_partial(moments_.Partial());
    if (!NumberMoments::Significant(with_number_)) return absl::OkStatus();
    if (NumberMoments::Significant(moments_.ShareOfDevices())) moments_.Fill(body);
    *body->mutable_frequency() = moments_.ShareOfNumbers();
    FillQuantiles(body);
    if (cells_.levels.has_value()) return absl::OkStatus();
    return FillBins(postprocess, evidence, body);
  }

 private:
  void FillCount(v1::Distribution* body) const {
    const v1::Estimate share = moments_.ShareOfDevices();
    const double n = numbers_.devices();
    v1::Estimate& count = *body->mutable_count();
    count.set_value(share.value() * n);
    count.set_standard_error(share.standard_error() * n);
    count.set_low(share.low() * n);
    count.set_high(share.high() * n);
  }

  void FillQuantiles(v1::Distribution* body) const {
    if (question_.fractions().empty()) return;
    const Quantiles quantiles = Quantiles::Of(numbers_, cells_.bins);
    for (const double fraction : question_.fractions()) {
      *body->add_quantiles() = quantiles.At(fraction);
    }
  }

  // What is outside the range counts as a bin on each side, so that all sum to one.
  absl::Status FillBins(Postprocess postprocess, const Evidence& evidence,
                        v1::Distribution* body) const {
    const std::vector<BinRange> rows = Joined(range_, question_.bins());
    std::vector<v1::Estimate> shares;
    shares.reserve(rows.size() + 2);
    for (const BinRange& row : rows) shares.push_back(moments_.ShareOfNumbers(row));
    const BinRange all = BinRange::All(cells_.bins);
    if (range_.first > 0) shares.push_back(moments_.ShareOfNumbers({0, range_.first}));
    if (range_.last < all.last) {
      shares.push_back(moments_.ShareOfNumbers({range_.last, all.last}));
    }
    TOMBOLA_ASSIGN_OR_RETURN(const std::vector<double> frequencies,
                             Frequencies(postprocess, evidence, shares));
    for (size_t i = 0; i < rows.size(); ++i) {
      const BinRange& row = rows[i];
      body->add_low_edges(row.begin() == range_.begin() ? row.PartOf(cells_.bins, row.begin()).low
                                                        : cells_.bins.Edge(row.begin()));
      body->add_high_edges(row.PartOf(cells_.bins, row.end() - 1).high);
      body->add_frequencies(frequencies[i]);
      body->add_raw(shares[i].value());
      body->add_standard_errors(shares[i].standard_error());
      body->add_low(shares[i].low());
      body->add_high(shares[i].high());
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<double>> Frequencies(Postprocess postprocess, const Evidence& evidence,
                                                  const std::vector<v1::Estimate>& shares) const {
    if (postprocess == Postprocess::kEm) {
      return absl::InvalidArgumentError(
          "postprocess must be pop, none, clip, norm_sub or base_cut: em needs counts of bins, and "
          "these are estimates by least squares");
    }
    std::vector<double> raw;
    double widest = 0;
    for (const v1::Estimate& share : shares) {
      raw.push_back(share.value());
      widest = std::max(widest, share.standard_error());
    }
    const double alpha = 2 * kNoiseShare / static_cast<double>(shares.size());
    const SumInterval noise(evidence.kind().tables()[0]->count_model(), evidence.tally, alpha);
    PostprocessInput input;
    input.raw = raw;
    input.threshold = noise.HalfWidth(widest, 1 / numbers_.WithNumber());
    return Process(postprocess, input);
  }

  const NumberCells& cells_;
  const CountedNumbers& numbers_;
  const v1::NumberQuestion& question_;
  bool where_;
  BinRange range_;
  NumberMoments moments_;
  v1::Estimate with_number_;
};

}  // namespace

// Every cell has estimates, variances and what least squares makes of them, every bin its part of
// a mean and of quantiles; then every row of the answer as estimates, message and bytes.
absl::StatusOr<int64_t> NumberAnswerer::Bytes(const Task& task, const v1::GetAnswerRequest& request,
                                              AnswerForm form) const {
  const v1::NumberQuestion& question = request.number();
  TOMBOLA_RETURN_IF_ERROR(CheckQuantiles(question));
  const RangeTree& tree = static_cast<const NumberKind&>(task.kind().OfOneBatch()).cells().tree;
  int64_t rows = tree.leaves();
  if (question.bins() != 0) {
    rows = static_cast<int64_t>(std::min(static_cast<uint64_t>(rows), question.bins()));
  }
  const int64_t computed = 128 * tree.cells() + 160 * tree.leaves() + 160 * rows;
  const int64_t message = 2 * 56 * rows + (int64_t{1} << 17);  // with 1,000 quantiles
  if (form == AnswerForm::kMessage) return computed + message;
  return std::max(computed, MostNumberText(rows, question.fractions_size())) + message;
}

absl::Status NumberAnswerer::Fill(const Evidence& evidence, const v1::GetAnswerRequest& request,
                                  Postprocess postprocess, v1::Answer* answer) const {
  const auto& kind = static_cast<const NumberKind&>(evidence.kind());
  const v1::NumberQuestion& question = request.number();
  TOMBOLA_RETURN_IF_ERROR(Check(question, kind.cells()));
  std::optional<BinRange> where;
  if (question.has_where()) {
    TOMBOLA_ASSIGN_OR_RETURN(where, BinRange::Read(kind.cells().bins, question.where()));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const CountedNumbers numbers,
                           CountedNumbers::Read(kind, evidence.counts.tables.front().counts,
                                                evidence.tally, request.confidence()));
  return Filler(kind.cells(), numbers, question, where)
      .Fill(postprocess, evidence, answer->mutable_number());
}

}  // namespace tombola::collector
