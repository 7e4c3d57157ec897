// How two attributes that devices report by RAPPOR go together: extended RAPPOR's joint
// distribution (Fanti, Pihur, Erlingsson, "Building a RAPPOR with the unknown", 2016), by
// expectation and maximisation.
#ifndef TOMBOLA_LAB_STRINGS_JOINT_EM_H_
#define TOMBOLA_LAB_STRINGS_JOINT_EM_H_

#include <cstdint>
#include <vector>

#include "cli/simulation/generator.h"
#include "common/accounting/unary_blanket.h"
#include "lab/strings/squarem.h"

namespace tombola::lab {

// Pairs of one-hot reports, counted by their bits: bit i of a row's pattern is that of value i.
struct JointReports {
  int rows = 0, columns = 0;   // values of the two attributes, at most 10 together
  std::vector<double> counts;  // [pattern of rows << columns | pattern of columns]
};

// Of so many devices, their pairs drawn from `law` (by row * columns + column); `bits` says how a
// bit is drawn, of which the number of devices is not looked at.
JointReports DrawJoint(const std::vector<double>& law, int rows, int columns, int64_t devices,
                       const accounting::UnaryReports& bits, simulation::Generator& random);
// What they are on average, as shares.
JointReports ExpectedJoint(const std::vector<double>& law, int rows, int columns,
                           const accounting::UnaryReports& bits);

using JointEstimate = FittedLaw;

// From the uniform law, until a step changes no share by more than `tolerance`, or `most_steps`.
JointEstimate EstimateJoint(const JointReports& reports, const accounting::UnaryReports& bits,
                            Steps steps, double tolerance, int64_t most_steps);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_STRINGS_JOINT_EM_H_
