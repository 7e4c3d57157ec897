// How many cells of a table a device fills, and how often one of them.
#ifndef TOMBOLA_COMMON_TABLE_FILLING_H_
#define TOMBOLA_COMMON_TABLE_FILLING_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tombola::mechanism {

// A device fills exactly `held` cells, whatever its record is: a smaller one is padded
// (client/place). It says `sent` of them, drawn uniformly; that number tells nothing of the record.
// At most `units` of the `held` are one and the same cell: 1 where all are distinct.
struct Filling {
  int64_t held = 1;   // 1 to kMostHeld
  int64_t sent = 1;   // divides held; all of them where units > 1
  int64_t units = 1;  // divides held

  // How many cells of `units` each hide at least as badly as any others (docs/privacy.md).
  int64_t cells() const { return sent / units; }

  bool operator==(const Filling&) const = default;
};

inline constexpr int64_t kMostHeld = 4096;
// Of one submission, noise included: the shuffler counts them by two bytes.
inline constexpr int64_t kMostReports = 65535;

// InvalidArgument, naming the field and its bound, unless a device can fill a table of so many
// cells like that. Two records of several cells must fit without a common one.
inline absl::Status ValidateFilling(const Filling& filling, int64_t cells) {
  if (filling.held < 1 || filling.held > kMostHeld) {
    return absl::InvalidArgumentError(
        absl::StrCat("items.max_items is ", filling.held, "; it must be in [1, ", kMostHeld, "]"));
  }
  if (filling.sent < 1 || filling.sent > filling.held || filling.held % filling.sent != 0) {
    return absl::InvalidArgumentError(absl::StrCat("items.sent is ", filling.sent,
                                                   "; it must divide items.max_items, which is ",
                                                   filling.held));
  }
  if (filling.units < 1 || filling.units > filling.held || filling.held % filling.units != 0) {
    return absl::InvalidArgumentError(absl::StrCat("a device fills one cell up to ", filling.units,
                                                   " times; that must divide all its ",
                                                   filling.held, " reports"));
  }
  if (filling.units > 1 && filling.sent != filling.held) {
    return absl::InvalidArgumentError(absl::StrCat("a device that fills one cell up to ",
                                                   filling.units, " times must send all its ",
                                                   filling.held, " reports"));
  }
  if (filling.held > 1 && cells < 2 * (filling.held / filling.units)) {
    return absl::InvalidArgumentError(absl::StrCat("items.max_items is ", filling.held,
                                                   "; at most half of the ", cells,
                                                   " cells can be filled by one device"));
  }
  return absl::OkStatus();
}

// InvalidArgument unless a mechanism's devices say all that they hold.
inline absl::Status ValidateAllSent(const Filling& filling, absl::string_view mechanism) {
  if (filling.sent == filling.held) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("items.sent is ", filling.sent, "; ", mechanism,
                                                 " sends all of items.max_items, which is ",
                                                 filling.held));
}

// InvalidArgument unless a mechanism's devices fill no cell twice.
inline absl::Status ValidateDistinct(const Filling& filling, absl::string_view mechanism) {
  if (filling.units == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(mechanism, " is for devices that fill no cell twice; here one may be filled ",
                   filling.units, " times"));
}

// InvalidArgument unless a mechanism's devices fill one cell.
inline absl::Status ValidateOneCell(const Filling& filling, absl::string_view mechanism) {
  if (filling == Filling()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("items.max_items is ", filling.held, "; ",
                                                 mechanism, " is for devices that fill one cell"));
}

// InvalidArgument unless the reports of a submission are no more than the shuffler takes.
inline absl::Status ValidateMostReports(const Filling& filling, absl::string_view field,
                                        int64_t most_noise) {
  if (filling.sent + most_noise <= kMostReports) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " is ", most_noise, "; with the ", filling.sent,
                   " cells that a device says it must be ", "at most ", kMostReports, " together"));
}

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_TABLE_FILLING_H_
