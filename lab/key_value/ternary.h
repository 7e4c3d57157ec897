// Methods whose reports say +, - or nothing about a key: counts, estimates and variances, the same
// for all of them.
#ifndef TOMBOLA_LAB_KEY_VALUE_TERNARY_H_
#define TOMBOLA_LAB_KEY_VALUE_TERNARY_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "lab/key_value/method.h"

namespace tombola::lab {

// The probabilities of what a report says about a key.
struct Ternary {
  double holder = 0;  // of + or -, if the device picked the key
  double other = 0;   // of + or -, each with half of it, if it did not
  double tilt = 0;    // of the value's own sign less that of the other, if it picked the key
};

// How many of `reports` said + and -.
struct Tally {
  int64_t reports = 0;
  int64_t plus = 0;
  int64_t minus = 0;
};
// Of devices of which so many picked the key, by sign.
Tally DrawTally(const Ternary& law, const Tally& picked, simulation::Generator& noise);

// Unbiased for the shares of devices that hold the key, and for those with + less those with -, if
// who holds it picks it with probability 1/scale.
double FrequencyOf(const Ternary& law, double scale, const Tally& tally);
double DifferenceOf(const Ternary& law, double scale, const Tally& tally);

// Padding and sampling by one of setting.items places, then a report about the pair that was
// picked. If tilt is 0 there are no means.
Estimates EstimatePadded(const Setting& setting, const Ternary& law, const Padded& picked,
                         simulation::Generator& noise);
// As Method's. The second needs a tilt.
double PaddedFrequencyVariance(const Setting& setting, const Ternary& law, const KeyShare& key);
double PaddedDifferenceVariance(const Setting& setting, const Ternary& law, const KeyShare& key);
// Of the mean, to first order: a ratio of two estimates has no closed form.
double PaddedMeanVariance(const Setting& setting, const Ternary& law, const KeyShare& key);

// The same as a method.
class PaddedTernary : public LocalMethod {
 public:
  PaddedTernary(const Setting& setting, const Ternary& ternary)
      : LocalMethod(setting), ternary_(ternary) {}

  const Ternary& ternary() const { return ternary_; }
  Estimates Run(Trial& trial, simulation::Generator& noise) const override {
    return EstimatePadded(setting(), ternary_, trial.padded(setting().items), noise);
  }
  std::optional<double> FrequencyVariance(const KeyShare& key) const override {
    return PaddedFrequencyVariance(setting(), ternary_, key);
  }
  std::optional<double> DifferenceVariance(const KeyShare& key) const override {
    return PaddedDifferenceVariance(setting(), ternary_, key);
  }

 private:
  Ternary ternary_;
};

// The same without a word about the report: for frequency oracles on sets, and where the shuffle is
// what makes it private.
class PaddedReports final : public Method {
 public:
  PaddedReports(const Setting& setting, const Ternary& ternary)
      : setting_(setting), ternary_(ternary) {}

  const Ternary& ternary() const { return ternary_; }
  int64_t items() const override { return setting_.items; }
  Estimates Run(Trial& trial, simulation::Generator& noise) const override {
    return EstimatePadded(setting_, ternary_, trial.padded(setting_.items), noise);
  }
  std::optional<double> FrequencyVariance(const KeyShare& key) const override {
    return PaddedFrequencyVariance(setting_, ternary_, key);
  }
  std::optional<double> DifferenceVariance(const KeyShare& key) const override {
    if (ternary_.tilt == 0) return std::nullopt;
    return PaddedDifferenceVariance(setting_, ternary_, key);
  }

 private:
  Setting setting_;
  Ternary ternary_;
};

// The expectation of 1/N for the number N of devices that are asked for a key, Poisson with this
// mean > 0, if there is one at all: somewhat more than 1/mean.
double InverseAsked(double mean);

// A uniform key of all, then a report about what the device has of it. No pair is cut off.
class AskedTernary : public LocalMethod {
 public:
  AskedTernary(const Setting& setting, const Ternary& ternary)
      : LocalMethod(setting), ternary_(ternary) {}

  const Ternary& ternary() const { return ternary_; }
  int64_t items() const override { return setting().keys; }
  Estimates Run(Trial& trial, simulation::Generator& noise) const override;
  std::optional<double> FrequencyVariance(const KeyShare& key) const override;
  std::optional<double> DifferenceVariance(const KeyShare& key) const override;

 private:
  virtual double Mean(const Tally& tally) const;

  Ternary ternary_;
};

// How many signed keys there are if `items` dummies are keys too: 2 (keys + items).
double SignedKeys(const Setting& setting);

// The two laws of picking, for ReportLaw.
// By cell 2 key + (0 for +, 1 for -) of keys + items keys, of which the last `items` are dummies:
// the probability that padding and sampling picks it.
std::vector<double> PaddedPickLaw(const Setting& setting, absl::Span<const Pair> record);
// The probabilities of +, - and absent for a device that was asked for this key.
struct StateLaw {
  double plus = 0;
  double minus = 0;
  double absent = 1;
};
StateLaw AskedStateLaw(absl::Span<const Pair> record, int64_t key);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_KEY_VALUE_TERNARY_H_
