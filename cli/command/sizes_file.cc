#include "cli/command/sizes_file.h"

#include <cmath>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/command/text_lines.h"
#include "common/base/status_macros.h"

namespace tombola::cli {
namespace {

using SizeShare = mechanism::RecordSizes::Share;

// What is wrong with a line is said without its number.
absl::StatusOr<SizeShare> ReadSizeLine(const std::string& line) {
  const std::vector<std::string> parts =
      absl::StrSplit(line, absl::ByAnyChar(", \t"), absl::SkipEmpty());
  SizeShare read;
  if (parts.size() != 2 || !absl::SimpleAtod(parts[1], &read.share)) {
    return absl::InvalidArgumentError(
        "must be two numbers such as 3,1250: of records, and of devices that have so many");
  }
  if (!absl::SimpleAtoi(parts[0], &read.records) || read.records < 0 ||
      read.records > mechanism::kMostKnownRecords) {
    return absl::InvalidArgumentError(
        absl::StrCat("must begin with a whole number of records in [0, ",
                     mechanism::kMostKnownRecords, "], not ", parts[0]));
  }
  if (!(read.share >= 0) || !std::isfinite(read.share)) {
    return absl::InvalidArgumentError(
        absl::StrCat("must end with a number or share of devices of at least 0, not ", parts[1]));
  }
  return read;
}

}  // namespace

absl::StatusOr<mechanism::RecordSizes> ReadSizesFile(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> lines, ReadLines("--sizes", path));
  std::vector<SizeShare> shares;
  absl::flat_hash_map<int64_t, size_t> line_of;
  for (const std::string& line : lines) {
    const size_t number = shares.size() + 1;
    const auto refuse = [&](absl::string_view what) {
      return absl::InvalidArgumentError(
          absl::StrCat("--sizes: ", path, ": line ", number, " ", what));
    };
    const absl::StatusOr<SizeShare> share = ReadSizeLine(line);
    if (!share.ok()) return refuse(share.status().message());
    const auto [before, added] = line_of.emplace(share->records, number);
    if (!added) {
      return refuse(absl::StrCat("must be of another number of records than line ", before->second,
                                 ", which is of ", share->records, " too"));
    }
    shares.push_back(*share);
  }
  absl::StatusOr<mechanism::RecordSizes> sizes = mechanism::RecordSizes::Create(std::move(shares));
  if (sizes.ok()) return sizes;
  return absl::InvalidArgumentError(
      absl::StrCat("--sizes: ", path, ": ", sizes.status().message()));
}

}  // namespace tombola::cli
