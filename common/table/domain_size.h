// How many values a domain may have.
#ifndef TOMBOLA_COMMON_TABLE_DOMAIN_SIZE_H_
#define TOMBOLA_COMMON_TABLE_DOMAIN_SIZE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tombola::mechanism {

inline constexpr int64_t kSmallestDomain = 2;
inline constexpr int64_t kLargestDomain = int64_t{1} << 24;
// As messages say them.
inline constexpr absl::string_view kLargestDomainText = "2^24";
inline constexpr absl::string_view kDomainBound = "in [2, 2^24]";

constexpr bool IsDomainSize(uint64_t size) {
  return size >= uint64_t{kSmallestDomain} && size <= uint64_t{kLargestDomain};
}

// InvalidArgument unless a domain of this size can be reported on.
inline absl::Status ValidateDomain(int64_t domain_size) {
  if (domain_size > 0 && IsDomainSize(static_cast<uint64_t>(domain_size))) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("domain.size is ", domain_size, "; it must be ", kDomainBound));
}

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_TABLE_DOMAIN_SIZE_H_
