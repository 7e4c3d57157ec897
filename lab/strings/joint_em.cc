#include "lab/strings/joint_em.h"

#include <cmath>
#include <cstddef>

#include "cli/simulation/distributions.h"

namespace tombola::lab {
namespace {

using Law = std::vector<double>;

// Of a pattern: the probability of its bits where `value` is held.
double LikelihoodOf(uint32_t pattern, int value, int values, const accounting::UnaryReports& bits) {
  double likelihood = 1;
  for (int i = 0; i < values; ++i) {
    const double one = i == value ? bits.kept : bits.risen;
    likelihood *= (pattern >> i & 1) != 0 ? one : 1 - one;
  }
  return likelihood;
}

// likelihood[pair][pattern pair] over all of them.
class JointModel {
 public:
  JointModel(int rows, int columns, const accounting::UnaryReports& bits)
      : pairs_(static_cast<size_t>(rows * columns)), patterns_(size_t{1} << (rows + columns)) {
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        for (uint32_t pattern = 0; pattern < patterns_; ++pattern) {
          likelihood_.push_back(
              LikelihoodOf(pattern >> columns, row, rows, bits) *
              LikelihoodOf(pattern & ((1u << columns) - 1), column, columns, bits));
        }
      }
    }
  }

  size_t pairs() const { return pairs_; }
  size_t patterns() const { return patterns_; }
  double At(size_t pair, size_t pattern) const { return likelihood_[pair * patterns_ + pattern]; }
  double Of(const Law& law, size_t pattern) const {
    double sum = 0;
    for (size_t pair = 0; pair < pairs_; ++pair) sum += law[pair] * At(pair, pattern);
    return sum;
  }

 private:
  size_t pairs_;
  size_t patterns_;
  std::vector<double> likelihood_;
};

Law Step(const JointModel& model, const JointReports& reports, const Law& law) {
  Law next(law.size(), 0.0);
  double all = 0;
  for (size_t pattern = 0; pattern < model.patterns(); ++pattern) {
    const double count = reports.counts[pattern];
    if (count == 0) continue;
    all += count;
    const double of_each = count / model.Of(law, pattern);
    for (size_t pair = 0; pair < law.size(); ++pair) {
      next[pair] += of_each * law[pair] * model.At(pair, pattern);
    }
  }
  for (double& share : next) share /= all;
  return next;
}

double LogLikelihood(const JointModel& model, const JointReports& reports, const Law& law) {
  double sum = 0;
  for (size_t pattern = 0; pattern < model.patterns(); ++pattern) {
    if (reports.counts[pattern] > 0) {
      sum += reports.counts[pattern] * std::log(model.Of(law, pattern));
    }
  }
  return sum;
}

}  // namespace

JointReports DrawJoint(const std::vector<double>& law, int rows, int columns, int64_t devices,
                       const accounting::UnaryReports& bits, simulation::Generator& random) {
  const JointModel model(rows, columns, bits);
  JointReports reports{
      .rows = rows, .columns = columns, .counts = std::vector<double>(model.patterns(), 0.0)};
  const std::vector<int64_t> holders = simulation::Multinomial(devices, law, random);
  for (size_t pair = 0; pair < model.pairs(); ++pair) {
    std::vector<double> weights;
    for (size_t pattern = 0; pattern < model.patterns(); ++pattern) {
      weights.push_back(model.At(pair, pattern));
    }
    const std::vector<int64_t> drawn = simulation::Multinomial(holders[pair], weights, random);
    for (size_t pattern = 0; pattern < drawn.size(); ++pattern) {
      reports.counts[pattern] += static_cast<double>(drawn[pattern]);
    }
  }
  return reports;
}

JointReports ExpectedJoint(const std::vector<double>& law, int rows, int columns,
                           const accounting::UnaryReports& bits) {
  const JointModel model(rows, columns, bits);
  JointReports reports{.rows = rows, .columns = columns};
  for (size_t pattern = 0; pattern < model.patterns(); ++pattern) {
    reports.counts.push_back(model.Of(law, pattern));
  }
  return reports;
}

JointEstimate EstimateJoint(const JointReports& reports, const accounting::UnaryReports& bits,
                            Steps steps, double tolerance, int64_t most_steps) {
  const JointModel model(reports.rows, reports.columns, bits);
  return FitLaw(
      {.step = [&](const Law& law) { return Step(model, reports, law); },
       .log_likelihood = [&](const Law& law) { return LogLikelihood(model, reports, law); }},
      Law(model.pairs(), 1 / static_cast<double>(model.pairs())), steps, tolerance, most_steps);
}

}  // namespace tombola::lab
