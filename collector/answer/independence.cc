#include "collector/answer/independence.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <unsupported/Eigen/SpecialFunctions>

namespace tombola::collector {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kSeen = 3;  // standard errors

// Orthonormal columns that all sum to zero: Helmert's.
MatrixXd Contrasts(Eigen::Index size) {
  MatrixXd contrasts = MatrixXd::Zero(size, size - 1);
  for (Eigen::Index j = 0; j + 1 < size; ++j) {
    const double below = static_cast<double>(j + 1);
    const double scale = 1 / std::sqrt(below * (below + 1));
    contrasts.col(j).head(j + 1).setConstant(scale);
    contrasts(j + 1, j) = -below * scale;
  }
  return contrasts;
}

// One margin: the contrasts in which noise has the variance one, and sampling its own.
struct Margin {
  MatrixXd contrasts;  // size times (size - 1)
  VectorXd sampling;
};

// shares: of the margin, with the sum one; some may be below zero for the noise.
Margin Diagonal(const VectorXd& shares) {
  const MatrixXd contrasts = Contrasts(shares.size());
  // Noise that is the same everywhere, less what the margins take of it: I + size h h'.
  const VectorXd h = contrasts.transpose() * shares;
  const double size = static_cast<double>(shares.size());
  const MatrixXd noise = MatrixXd::Identity(h.size(), h.size()) + size * h * h.transpose();
  VectorXd drawn = shares.cwiseMax(0);
  drawn /= drawn.sum();
  const MatrixXd law = MatrixXd(drawn.asDiagonal()) - drawn * drawn.transpose();
  const MatrixXd sampling = contrasts.transpose() * law * contrasts;
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> both(sampling, noise);
  return {.contrasts = contrasts * both.eigenvectors(), .sampling = both.eigenvalues().cwiseMax(0)};
}

}  // namespace

std::optional<IndependenceTest> TestIndependence(absl::Span<const double> counts, int64_t rows,
                                                 int64_t columns, double variance) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const MatrixXd table = Eigen::Map<const RowMajor>(counts.data(), rows, columns);
  const double total = table.sum();
  if (!(total > kSeen * std::sqrt(variance * static_cast<double>(rows * columns)))) {
    return std::nullopt;
  }
  const VectorXd of_rows = table.rowwise().sum() / total;
  const VectorXd of_columns = table.colwise().sum().transpose() / total;
  const Margin row = Diagonal(of_rows);
  const Margin column = Diagonal(of_columns);
  const MatrixXd left = table - total * of_rows * of_columns.transpose();
  const MatrixXd turned = row.contrasts.transpose() * left * column.contrasts;
  IndependenceTest test{.degrees_of_freedom = (rows - 1) * (columns - 1)};
  for (Eigen::Index i = 0; i < turned.rows(); ++i) {
    for (Eigen::Index j = 0; j < turned.cols(); ++j) {
      const double expected = variance + total * row.sampling(i) * column.sampling(j);
      if (expected > 0) test.statistic += turned(i, j) * turned(i, j) / expected;
    }
  }
  test.p_value =
      Eigen::numext::igammac(static_cast<double>(test.degrees_of_freedom) / 2, test.statistic / 2);
  return test;
}

}  // namespace tombola::collector
