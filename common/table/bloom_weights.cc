#include "common/table/bloom_weights.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "common/base/check.h"

namespace tombola::mechanism {
namespace {

// A matrix of full rank has a determinant of 1 at least, as its entries are whole: pivots that are
// as small as this are rounding.
constexpr double kSmallestPivot = 1e-6;

// A symmetric matrix, row by row.
struct Square {
  size_t size = 0;
  std::vector<double> entries;

  double& At(size_t row, size_t column) { return entries[row * size + column]; }
  double At(size_t row, size_t column) const { return entries[row * size + column]; }
};

// How many bits two values share.
Square GramOf(const Bloom& bloom) {
  const auto size = static_cast<size_t>(bloom.options().domain_size);
  Square gram{.size = size, .entries = std::vector<double>(size * size, 0)};
  std::vector<std::vector<size_t>> setters(static_cast<size_t>(bloom.options().bits));
  for (size_t value = 0; value < size; ++value) {
    for (const uint8_t bit : bloom.BitsOf(value)) setters[bit].push_back(value);
  }
  for (const std::vector<size_t>& values : setters) {
    for (const size_t a : values) {
      for (const size_t b : values) gram.At(a, b) += 1;
    }
  }
  return gram;
}

// The lower factor L of a matrix L L^T; absent where it has not full rank.
std::optional<Square> FactorOf(Square matrix) {
  for (size_t j = 0; j < matrix.size; ++j) {
    double pivot = matrix.At(j, j);
    for (size_t k = 0; k < j; ++k) pivot -= matrix.At(j, k) * matrix.At(j, k);
    if (!(pivot > kSmallestPivot)) return std::nullopt;
    const double root = std::sqrt(pivot);
    matrix.At(j, j) = root;
    for (size_t i = j + 1; i < matrix.size; ++i) {
      double entry = matrix.At(i, j);
      for (size_t k = 0; k < j; ++k) entry -= matrix.At(i, k) * matrix.At(j, k);
      matrix.At(i, j) = entry / root;
    }
  }
  return matrix;
}

// Solves L L^T x = e_column.
void SolveUnit(const Square& factor, size_t column, std::vector<double>* x) {
  std::fill(x->begin(), x->end(), 0.0);
  for (size_t i = column; i < factor.size; ++i) {
    double entry = i == column ? 1 : 0;
    for (size_t k = column; k < i; ++k) entry -= factor.At(i, k) * (*x)[k];
    (*x)[i] = entry / factor.At(i, i);
  }
  for (size_t i = factor.size; i-- > 0;) {
    double entry = (*x)[i];
    for (size_t k = i + 1; k < factor.size; ++k) entry -= factor.At(k, i) * (*x)[k];
    (*x)[i] = entry / factor.At(i, i);
  }
}

double Zeros(const Support& bit) { return bit.other * (1 - bit.other); }
double Ones(const Support& bit) { return bit.holder * (1 - bit.holder); }

}  // namespace

bool TellsValuesApart(const Bloom& bloom) {
  return bloom.options().hashes == 1 || FactorOf(GramOf(bloom)).has_value();
}

BloomWeights::BloomWeights(const Bloom& bloom)
    : values_(static_cast<size_t>(bloom.options().domain_size)),
      bits_(static_cast<size_t>(bloom.options().bits)),
      weights_(values_ * bits_, 0) {
  for (size_t value = 0; value < values_; ++value) {
    const absl::Span<const uint8_t> set = bloom.BitsOf(value);
    set_.emplace_back(set.begin(), set.end());
  }
  if (bloom.options().hashes == 1) {
    for (size_t value = 0; value < values_; ++value) weights_[value * bits_ + value] = 1;
    return;
  }
  const std::optional<Square> factor = FactorOf(GramOf(bloom));
  TOMBOLA_CHECK(factor.has_value());
  inverse_.resize(values_ * values_);
  std::vector<double> column(values_);
  for (size_t value = 0; value < values_; ++value) {
    SolveUnit(*factor, value, &column);
    for (size_t other = 0; other < values_; ++other) {
      inverse_[value * values_ + other] = column[other];
      for (const uint8_t bit : set_[other]) weights_[value * bits_ + bit] += column[other];
    }
  }
}

std::vector<double> BloomWeights::LoneCounts(absl::Span<const int64_t> counts,
                                             double background) const {
  if (inverse_.empty()) return {counts.begin(), counts.end()};
  std::vector<double> lone(values_, background);
  for (size_t value = 0; value < values_; ++value) {
    for (size_t other = 0; other < values_; ++other) {
      const double beyond =
          static_cast<double>(counts[other]) - background * static_cast<double>(set_[other].size());
      lone[value] += inverse_[value * values_ + other] * beyond;
    }
  }
  return lone;
}

double BloomWeights::Variance(size_t value, const Support& bit,
                              absl::Span<const double> frequencies) const {
  std::vector<double> set_by(bits_, 0);
  for (size_t w = 0; w < values_; ++w) {
    for (const uint8_t at : set_[w]) set_by[at] += frequencies[w];
  }
  double sum = 0;
  for (size_t at = 0; at < bits_; ++at) {
    const double share = std::clamp(set_by[at], 0.0, 1.0);
    const double weight = Row(value, at);
    sum += weight * weight * ((1 - share) * Zeros(bit) + share * Ones(bit));
  }
  return sum / (bit.separation * bit.separation);
}

double BloomWeights::MostVariance(const Support& bit) const {
  double most = 0;
  for (size_t value = 0; value < values_; ++value) {
    double squares = 0;
    for (size_t at = 0; at < bits_; ++at) squares += Row(value, at) * Row(value, at);
    most = std::max(most, squares);
  }
  return most * std::max(Zeros(bit), Ones(bit)) / (bit.separation * bit.separation);
}

double BloomWeights::MostWeight() const {
  double most = 0;
  for (const double weight : weights_) most = std::max(most, std::abs(weight));
  return most;
}

double BloomWeights::MostReach() const {
  double most = 0;
  for (size_t value = 0; value < values_; ++value) {
    double sum = 0;
    for (size_t at = 0; at < bits_; ++at) sum += std::abs(Row(value, at));
    most = std::max(most, sum);
  }
  return most;
}

double AverageSquaredError(const Bloom& bloom, const Support& bit, int64_t reports) {
  const auto domain = static_cast<double>(bloom.options().domain_size);
  const auto n = static_cast<double>(reports);
  if (bloom.options().hashes == 1) {
    return AverageSquaredError(bit, bloom.options().domain_size, reports);
  }
  const BloomWeights weights(bloom);
  const std::vector<double> even(static_cast<size_t>(bloom.options().domain_size), 1 / domain);
  double sum = 0;
  for (size_t value = 0; value < even.size(); ++value) sum += weights.Variance(value, bit, even);
  return sum / (domain * n);
}

}  // namespace tombola::mechanism
