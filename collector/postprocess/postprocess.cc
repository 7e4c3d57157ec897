#include "collector/postprocess/postprocess.h"

#include <algorithm>

#include "common/base/check.h"

namespace tombola::collector {
absl::StatusOr<std::vector<double>> Process(Postprocess how, const PostprocessInput& input) {
  switch (how) {
    case Postprocess::kNone:
      return std::vector<double>(input.raw.begin(), input.raw.end());
    case Postprocess::kPop:
      return Pop(input.raw);
    case Postprocess::kNormSub:
      return NormSub(input.raw, input.threshold);
    case Postprocess::kBaseCut:
      return BaseCut(input.raw, input.threshold);
    case Postprocess::kEm:
      return MostLikely(input.counts, input.background, input.signal);
    case Postprocess::kClip: {
      std::vector<double> clipped(input.raw.begin(), input.raw.end());
      for (double& share : clipped) share = std::clamp(share, 0.0, 1.0);
      return clipped;
    }
  }
  TOMBOLA_CHECK(false);
}

}  // namespace tombola::collector
