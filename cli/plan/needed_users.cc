#include "cli/plan/needed_users.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "collector/estimate/normal.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"

namespace tombola::cli {
namespace {

// Some with which planners can begin at all.
constexpr int64_t kFewestUsers = 16;
constexpr double kPrecision = 0.01;

absl::Status CheckWish(const UsersWish& wish) {
  if (wish.error.has_value() && wish.detect.has_value()) {
    return absl::InvalidArgumentError("one of --error and --detect must be given, not both");
  }
  const double share = wish.error.has_value() ? *wish.error : *wish.detect;
  const char* const flag = wish.error.has_value() ? "--error" : "--detect";
  if (!(share > 0 && share < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, " must be above 0 and below 1 (100%), is ", share));
  }
  if (!(wish.confidence > 0 && wish.confidence < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--confidence must be above 0 and below 1 (100%), is ", wish.confidence));
  }
  return absl::OkStatus();
}

// The largest mean squared error of one share that will do.
double MostMse(const UsersWish& wish) {
  const double two_sided = collector::NormalTailQuantile((1 - wish.confidence) / 2);
  if (wish.error.has_value()) {
    const double deviation = *wish.error / two_sided;
    return deviation * deviation;
  }
  const double deviation =
      *wish.detect / (two_sided + collector::NormalTailQuantile(1 - kDetectionPower));
  return deviation * deviation / 2;  // of the difference of two
}

}  // namespace

absl::StatusOr<int64_t> NeededUsers(const UsersWish& wish,
                                    const std::function<absl::StatusOr<double>(int64_t)>& mse_of) {
  TOMBOLA_RETURN_IF_ERROR(CheckWish(wish));
  const double most = MostMse(wish);
  const auto enough = [&](int64_t users) -> absl::StatusOr<bool> {
    TOMBOLA_ASSIGN_OR_RETURN(const double mse, mse_of(users));
    return mse <= most;
  };
  int64_t few = 0, many = kFewestUsers;  // few are not enough
  while (true) {
    TOMBOLA_ASSIGN_OR_RETURN(const bool suffice, enough(many));
    if (suffice) break;
    if (many >= kMostNeededUsers) {
      return absl::InvalidArgumentError(
          absl::StrCat(wish.error.has_value() ? "--error" : "--detect", " is too small: ", many,
                       " users would not be enough; a larger --epsilon may help"));
    }
    few = many;
    many = std::min(4 * many, kMostNeededUsers);
  }
  while (static_cast<double>(many - few) > kPrecision * static_cast<double>(few) &&
         many - few > 1) {
    const int64_t middle = few + (many - few) / 2;
    TOMBOLA_ASSIGN_OR_RETURN(const bool suffice, enough(middle));
    (suffice ? many : few) = middle;
  }
  return many;
}

std::string DescribeNeeded(const UsersWish& wish, int64_t users) {
  const std::string confidence = PercentText(wish.confidence, 4);
  if (wish.error.has_value()) {
    return absl::StrFormat(
        "%d users: so many it takes for shares that are off by %.4g %% at most, with %s %% "
        "confidence each",
        users, 100 * *wish.error, confidence);
  }
  return absl::StrFormat(
      "%d users in each of two answers: so many it takes to see a share change by %.4g %%, with %s "
      "%% "
      "confidence and four times in five",
      users, 100 * *wish.detect, confidence);
}

Json WishJson(const UsersWish& wish) {
  return {{"error", wish.error.has_value() ? Json(*wish.error) : Json()},
          {"detect", wish.detect.has_value() ? Json(*wish.detect) : Json()},
          {"confidence", wish.confidence},
          {"power", wish.detect.has_value() ? Json(kDetectionPower) : Json()}};
}

std::string PercentAsShare(const std::string& text) {
  absl::string_view number = text;
  double percent = 0;
  if (!absl::ConsumeSuffix(&number, "%") || !absl::SimpleAtod(number, &percent)) return text;
  return RoundedUp(percent / 100, 15);
}

}  // namespace tombola::cli
