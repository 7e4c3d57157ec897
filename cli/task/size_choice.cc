#include "cli/task/size_choice.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/check.h"
#include "common/base/decimal.h"

namespace tombola::cli {
namespace {

using Reason = SizeChoice::Reason;

// As if a device could hold any number of things.
SizeChoice ChooseUnlimited(const v1::Sizes& sizes) {
  const int counted = sizes.shares_size() - 1;
  const double full_bound = std::clamp(sizes.full_high(), 0.0, 1.0);
  if (full_bound >= kMostBeyond) {
    const auto earlier = static_cast<uint64_t>(counted);
    if (sizes.full_low() > 0) return {2 * earlier, Reason::kDoubled, full_bound};
    return {earlier, Reason::kKept, full_bound};
  }
  // From the largest size down to the first that fails. The true shares fall with the size, so in
  // this order the confidence of one test is that of the choice: a fixed sequence of hypotheses.
  // The error of each share that passes is that of `full`: a variance is linear in the share, and
  // these shares differ by less than kMostBeyond.
  const double half = sizes.full_high() - sizes.full();
  double more = sizes.full();  // the share of devices that hold more than `size`
  double bound = full_bound;
  int size = counted - 1;
  for (; size > 1; --size) {
    more += sizes.shares(size);
    if (more + half >= kMostBeyond) break;
    bound = std::clamp(more + half, 0.0, 1.0);
  }
  return {static_cast<uint64_t>(std::max(size, 1)), Reason::kEnough, bound};
}

}  // namespace

SizeChoice ChooseSize(const v1::Sizes& sizes, uint64_t most) {
  TOMBOLA_CHECK(sizes.shares_size() >= 2 && most >= 1);
  const SizeChoice choice = ChooseUnlimited(sizes);
  if (choice.max_items < most) return choice;
  return {most, Reason::kAll, 0};
}

std::string Describe(const SizeChoice& choice, const v1::Sizes& sizes, const std::string& earlier) {
  const std::string taken = absl::StrCat("--max-items ", choice.max_items);
  const std::string bound = RoundedUp(100 * choice.bound, 2);
  const int counted = sizes.shares_size() - 1;
  switch (choice.reason) {
    case Reason::kEnough:
      return absl::StrFormat("%s: at most %s %% of the devices of \"%s\" hold more\n", taken, bound,
                             earlier);
    case Reason::kDoubled:
      return absl::StrFormat(
          "%s, twice that of \"%s\": %.2g %% of its devices fill all %d places, so that it cannot "
          "tell how much they hold\n",
          taken, earlier, 100 * std::min(sizes.full(), 1.0), counted);
    case Reason::kKept:
      return absl::StrFormat(
          "! %s, that of \"%s\": its answer cannot tell whether none or up to %s %% of its devices "
          "fill all %d places; more devices or a larger epsilon would\n",
          taken, earlier, bound, counted);
    case Reason::kAll:
      return absl::StrCat(taken, ": a device can hold no more\n");
  }
  TOMBOLA_CHECK(false);
  return "";
}

}  // namespace tombola::cli
