// Tombola's ways with records of several cells, as far as they are compared here. The cells are
// keys * levels and one pad for each of the items.
#ifndef TOMBOLA_LAB_SHUFFLED_OWN_METHODS_H_
#define TOMBOLA_LAB_SHUFFLED_OWN_METHODS_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "lab/key_value/method.h"
#include "lab/key_value/ternary.h"

namespace tombola::lab {

double CellsOf(const Setting& setting);

// `pure_dump` with all cells: a device sends a message for each of its pairs, in the cell of key
// and level, pads for what it lacks, and its share of Poisson noise on every cell.
class SharedNoise final : public Method {
 public:
  // `mean` of the noise on a cell, from all devices together.
  SharedNoise(const Setting& setting, double mean) : setting_(setting), mean_(mean) {}

  int64_t items() const override { return setting_.items; }
  // A device's, on average.
  double Messages(int64_t users) const;
  Estimates Run(Trial& trial, simulation::Generator& noise) const override;
  std::optional<double> FrequencyVariance(const KeyShare& key) const override;
  std::optional<double> DifferenceVariance(const KeyShare& key) const override;

 private:
  Setting setting_;
  double mean_;
};

// `pure_dump` with one of the cells: padding and sampling, and noise that is as much smaller.
// setting.levels is 1 or 2.
class SampledNoise final : public Method {
 public:
  SampledNoise(const Setting& setting, double mean) : setting_(setting), mean_(mean) {}

  int64_t items() const override { return setting_.items; }
  double Messages(int64_t users) const;
  Estimates Run(Trial& trial, simulation::Generator& noise) const override;
  std::optional<double> FrequencyVariance(const KeyShare& key) const override;
  std::optional<double> DifferenceVariance(const KeyShare& key) const override;

 private:
  Setting setting_;
  double mean_;
};

// Padding and sampling with `grr`: one message, the sampled cell or with probability gamma a
// uniform one. setting.levels is 1 or 2.
struct PaddedGrr {
  PaddedReports method;
  double local_epsilon = 0;  // of the whole record, if the shuffler colludes
};

// The three with the least noise that meets (setting.epsilon, delta) among `users` honest devices.
// InvalidArgument for what is out of range, FailedPrecondition where no noise does.
absl::StatusOr<SharedNoise> PlanSharedNoise(const Setting& setting, double delta);
absl::StatusOr<SampledNoise> PlanSampledNoise(const Setting& setting, double delta);
absl::StatusOr<PaddedGrr> PlanPaddedGrr(const Setting& setting, int64_t users, double delta);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_SHUFFLED_OWN_METHODS_H_
