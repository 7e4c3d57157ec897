// What every way to count keys and their values has in common.
#ifndef TOMBOLA_LAB_KEY_VALUE_METHOD_H_
#define TOMBOLA_LAB_KEY_VALUE_METHOD_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "cli/simulation/generator.h"
#include "lab/data/population.h"
#include "lab/sample/trial.h"

namespace tombola::lab {

struct Setting {
  int64_t keys = 0;    // d, at least 1
  int64_t items = 0;   // l, 1 to keys: how many pairs a device is padded or cut to
  double epsilon = 0;  // the budget as the method's paper counts it; finite and > 0
  // Cells of a key. 2: its signs. 1: a set, of which nobody asks for values; for methods that say
  // so.
  int levels = 2;
};
// InvalidArgument, naming the field and its bound.
absl::Status Validate(const Setting& setting);

struct Estimates {
  std::vector<double> frequencies;  // unbiased as far as the method is; not clipped
  std::vector<double> means;        // in [-1, 1]; none of a set
};

// The mean from an estimate of the frequency and one of frequency times mean, the `difference` of
// the shares of + and -: their quotient, with the frequency clipped to [1/users, 1] and the result
// to
// [-1, 1].
double MeanOf(double difference, double frequency, double users);

// A method with all its parameters. Immutable, thread-safe.
class Method {
 public:
  virtual ~Method() = default;

  // One run on the trial's devices; what devices randomise is drawn from `noise`. The law of each
  // key's estimates is exact; those of different keys are independent given what devices picked,
  // which they are not quite where one report is about several keys.
  virtual Estimates Run(Trial& trial, simulation::Generator& noise) const = 0;

  // At most so many pairs of a device count; keys if all do.
  virtual int64_t items() const = 0;

  // Of a key's frequency, and of frequency times mean, given the data: exact but for terms of
  // relative size 1/users. The second takes all values of a key as equal. Absent where there is no
  // closed form.
  virtual std::optional<double> FrequencyVariance(const KeyShare& key) const = 0;
  virtual std::optional<double> DifferenceVariance(const KeyShare& key) const = 0;
};

// What an accountant has to know of a device's report.
struct LocalLaw {
  // The least epsilon for which the report, of any two records, is epsilon-private by itself.
  double epsilon = 0;
  // If range is not 0, there is a law U of reports such that the density of a report against U lies
  // in [gamma, gamma + (1 - gamma) range] whatever the record: what the blanket accountant needs.
  double gamma = 0;
  double range = 0;
};

// A method in which every device randomises by itself and sends one report.
class LocalMethod : public Method {
 public:
  explicit LocalMethod(const Setting& setting) : setting_(setting) {}

  const Setting& setting() const { return setting_; }
  int64_t items() const override { return setting_.items; }

  // The guarantee that its paper states for a report, and the truth.
  double printed_epsilon() const { return setting_.epsilon; }
  virtual LocalLaw law() const = 0;

  // The probability of every possible report of a device with this record. For tiny settings: there
  // may be as many reports as 3^(keys + items).
  virtual std::vector<double> ReportLaw(absl::Span<const Pair> record) const = 0;

 private:
  Setting setting_;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_KEY_VALUE_METHOD_H_
