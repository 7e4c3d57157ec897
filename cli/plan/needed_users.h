// The other way round: not how large an error is, but how many users it takes.
#ifndef TOMBOLA_CLI_PLAN_NEEDED_USERS_H_
#define TOMBOLA_CLI_PLAN_NEEDED_USERS_H_

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "cli/command/command.h"

namespace tombola::cli {

// All are shares, in (0, 1).
struct UsersWish {
  // Half of the width of an interval with this confidence.
  std::optional<double> error;
  // A change between two answers from as many users each, seen with this confidence in
  // kDetectionPower of all cases: (z + z') sqrt(2 mse), z of the two-sided confidence and z' of the
  // power.
  std::optional<double> detect;
  double confidence = 0.95;

  bool any() const { return error.has_value() || detect.has_value(); }
};

inline constexpr double kDetectionPower = 0.8;
inline constexpr int64_t kMostNeededUsers = int64_t{1} << 36;

// The fewest users, up to 1 %, for which `mse_of`, of one share, is small enough for what is wished
// for. It must not grow with the users; infinite: nothing is feasible for so few. InvalidArgument:
// the wish is out of its bounds, asks for both, or is not met by kMostNeededUsers. Other errors are
// those of mse_of.
absl::StatusOr<int64_t> NeededUsers(const UsersWish& wish,
                                    const std::function<absl::StatusOr<double>(int64_t)>& mse_of);

// "12300 users: so many it takes for shares that are off by 0.5 % at most, with 95 % confidence".
std::string DescribeNeeded(const UsersWish& wish, int64_t users);
Json WishJson(const UsersWish& wish);

// "0.5%" as "0.005", everything else as it is: a CLI11 transform.
std::string PercentAsShare(const std::string& text);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_PLAN_NEEDED_USERS_H_
