// Runs a test of a kernel once for each set of instructions that it is compiled for.
#ifndef TOMBOLA_COLLECTOR_AGGREGATE_KERNEL_TESTING_H_
#define TOMBOLA_COLLECTOR_AGGREGATE_KERNEL_TESTING_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "collector/aggregate/affine_kernel.h"
#include "hwy/targets.h"

namespace tombola::collector {

// All that a kernel is compiled for, widest first, whether or not this processor has them.
inline std::vector<int64_t> KnownTargets() {
  std::vector<int64_t> targets;
  for (int64_t rest = CompiledTargets(); rest != 0; rest &= rest - 1) {
    targets.push_back(rest & -rest);
  }
  return targets;
}

inline std::string TargetNameOf(const ::testing::TestParamInfo<int64_t>& target) {
  return hwy::TargetName(target.param);
}

// Its parameter is one of KnownTargets(). What this processor lacks is skipped, and the log says
// so.
class KernelTest : public ::testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override {
    if ((hwy::SupportedTargets() & GetParam()) == 0) {
      GTEST_SKIP() << "this processor has no " << hwy::TargetName(GetParam());
    }
    hwy::SetSupportedTargetsForTest(GetParam());
  }
  void TearDown() override {
    if (!IsSkipped()) {
      EXPECT_TRUE(hwy::GetChosenTarget().IsInitialized()) << "the kernel was not dispatched";
    }
    hwy::SetSupportedTargetsForTest(0);
  }
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_KERNEL_TESTING_H_
