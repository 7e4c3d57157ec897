#include "common/stream/release.h"

#include <utility>

#include "common/stream/gaussian_release.h"
#include "common/stream/laplace_release.h"

namespace tombola::stream {

std::unique_ptr<Release> Release::Make(std::shared_ptr<const Design> design, RandomSource* random) {
  switch (design->method) {
    case Method::kPlain:
    case Method::kFenwick:
    case Method::kBest:
      break;
    case Method::kKAry:
      return std::make_unique<KAryRelease>(std::move(design), random);
    case Method::kSquareRoot:
      return std::make_unique<SquareRootRelease>(std::move(design), random);
    case Method::kBlt:
      return std::make_unique<BltRelease>(std::move(design), random);
  }
  return std::make_unique<TreeRelease>(std::move(design), random);
}

}  // namespace tombola::stream
