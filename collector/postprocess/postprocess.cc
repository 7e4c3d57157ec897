#include "collector/postprocess/postprocess.h"

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
  }
  TOMBOLA_CHECK(false);
}

}  // namespace tombola::collector
