// Public data files as populations. What is wrong with a file is InvalidArgument that names its
// line.
#ifndef TOMBOLA_LAB_DATA_FILES_H_
#define TOMBOLA_LAB_DATA_FILES_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lab/data/population.h"

namespace tombola::lab {

// The files of a data folder.
inline constexpr absl::string_view kClothing = "clothing_user_key_value.csv";
inline constexpr absl::string_view kBmsWebView = "bms_webview1.dat";
inline constexpr absl::string_view kKosarak = "kosarak_first100k.csv";

// A heading `user,key,value`, then a pair a line: two whole numbers, of which any may be missing,
// and a value in [-1, 1]. Users and keys are numbered anew by their order. Of a user's lines with
// one key the first counts. At least one pair; at most 2^20 keys.
absl::StatusOr<Population> ParseKeyValues(absl::string_view text, absl::string_view name);

// A set a line: whole numbers with `separator` between them. An item twice is one item; items are
// numbered anew by their order. Blank lines are no devices.
absl::StatusOr<Population> ParseSets(absl::string_view text, char separator,
                                     absl::string_view name);

// The files named above, in `folder`; NotFound if one is not there.
absl::StatusOr<Population> ReadClothing(const std::string& folder);
absl::StatusOr<Population> ReadBmsWebView(const std::string& folder);
absl::StatusOr<Population> ReadKosarak(const std::string& folder);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_DATA_FILES_H_
