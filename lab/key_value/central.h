// The yardsticks: somebody trusted sees every record, adds up and adds noise.
#ifndef TOMBOLA_LAB_KEY_VALUE_CENTRAL_H_
#define TOMBOLA_LAB_KEY_VALUE_CENTRAL_H_

#include <functional>
#include <optional>

#include "absl/status/statusor.h"
#include "lab/key_value/method.h"

namespace tombola::lab {

// A pair (key, v) counts (1 + v)/2 in the key's one cell and (1 - v)/2 in its other, or of a set 1
// in its only one. So a record of `items` pairs that replaces another changes the cells by at most
// 2 items in sum and sqrt(2 items) in length. Every cell gets noise of its own. setting.levels is 1
// or 2.
class Central final : public Method {
 public:
  // Laplace noise of scale 2 items / epsilon: epsilon-private, variance 8 items^2 / epsilon^2. The
  // setting is valid.
  static Central Laplace(const Setting& setting);
  // Normal noise of variance 2 items / theta^2, theta being GaussianTheta(epsilon, delta).
  // InvalidArgument for a delta outside of (0, 1).
  static absl::StatusOr<Central> Gaussian(const Setting& setting, double delta);

  int64_t items() const override { return setting_.items; }
  // Of a cell's count.
  double noise_variance() const { return noise_variance_; }
  Estimates Run(Trial& trial, simulation::Generator& noise) const override;
  std::optional<double> FrequencyVariance(const KeyShare& key) const override;
  std::optional<double> DifferenceVariance(const KeyShare& key) const override;

 private:
  using Draw = std::function<double(simulation::Generator&)>;
  Central(const Setting& setting, double noise_variance, Draw draw)
      : setting_(setting), noise_variance_(noise_variance), draw_(std::move(draw)) {}

  Setting setting_;
  double noise_variance_;
  Draw draw_;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_KEY_VALUE_CENTRAL_H_
