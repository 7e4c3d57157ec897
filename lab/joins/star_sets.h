// Data sets for star joins: the paper's, or what stands in for them.
#ifndef TOMBOLA_LAB_JOINS_STAR_SETS_H_
#define TOMBOLA_LAB_JOINS_STAR_SETS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lab/joins/star.h"

namespace tombola::lab {

// SYN-1 (1,000,000 devices) and SYN-2 (3,000,000): every attribute and the amount is normal with
// mean m/2 and standard deviation m/4, m = 125, rounded and clipped to 1..m; a device has 1 to 10
// tuples, uniformly. Attributes are independent, as the paper has it for all that it says.
StarData DrawSyn(int64_t users, uint64_t seed);

// IPUMS-P cannot be had. Its numbers of devices and of tuples (97 % have below 6, geometric up to
// 10), and attributes that are less smooth than SYN's: the first uniform over 1..90, the second
// with two places in five at one value, the third and the amount log-normal.
inline constexpr int64_t kIpumsUsers = 3210231;
StarData DrawIpumsStandIn(int64_t users, uint64_t seed);

// UCI Adult: one row a device, whose age is its profile; 1 to 10 tuples, uniformly, that are drawn
// from all rows: years of education (of 25 places) as the product, hours per week as the fact, and
// the weight of the row, scaled, as the amount.
inline constexpr absl::string_view kAdult = "adult.data";
// InvalidArgument that names the line.
absl::StatusOr<StarData> ParseAdult(absl::string_view text, uint64_t seed);
// NotFound if it is not in the folder.
absl::StatusOr<StarData> ReadAdult(const std::string& folder, uint64_t seed);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_JOINS_STAR_SETS_H_
