#include "lab/key_value/hiskv.h"

#include "lab/key_value/length.h"
#include "lab/key_value/lrr_kv.h"

namespace tombola::lab {

Estimates Hiskv::Run(Trial& trial, simulation::Generator& noise) const {
  const Pilot& pilot = trial.pilot();
  Setting setting = setting_;
  setting.items = rule_ == LengthRule::kOetl
                      ? OetlLength(pilot.lengths, setting.epsilon, noise)
                      : ThresholdLength(pilot.lengths, setting.epsilon, noise);
  return EstimatePadded(setting, LrrKv(setting).ternary(),
                        trial.padded_without_pilot(setting.items), noise);
}

}  // namespace tombola::lab
