#include "collector/postprocess/postprocess.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "collector/postprocess/base_cut.h"
#include "collector/postprocess/likelihood.h"
#include "collector/postprocess/norm_sub.h"
#include "collector/postprocess/pop.h"
#include "common/base/check.h"

namespace tombola::collector {
namespace {

struct Named {
  Postprocess how;
  absl::string_view name;
};

constexpr Named kNamed[] = {{Postprocess::kNone, "none"},
                            {Postprocess::kPop, "pop"},
                            {Postprocess::kNormSub, "norm_sub"},
                            {Postprocess::kBaseCut, "base_cut"},
                            {Postprocess::kEm, "em"}};

}  // namespace

absl::string_view PostprocessName(Postprocess how) {
  for (const Named& named : kNamed) {
    if (named.how == how) return named.name;
  }
  TOMBOLA_CHECK(false);
}

absl::StatusOr<Postprocess> PostprocessFromName(absl::string_view name) {
  std::string names;
  for (const Named& named : kNamed) {
    if (named.name == name) return named.how;
    absl::StrAppend(&names, names.empty() ? "" : ", ", named.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("postprocess must be one of ", names, "; is ", name));
}

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
