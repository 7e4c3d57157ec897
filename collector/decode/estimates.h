// How many devices hold strings that stand out.
#ifndef TOMBOLA_COLLECTOR_DECODE_ESTIMATES_H_
#define TOMBOLA_COLLECTOR_DECODE_ESTIMATES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "collector/aggregate/string_counts.h"
#include "common/strings/alphabet.h"
#include "common/strings/public_functions.h"
#include "common/strings/randomizer.h"

namespace tombola::collector {

using strings::StringMessages;

// A batch, or several of one task together. Nothing is owned.
struct StringBatch {
  const strings::PublicFunctions* functions = nullptr;
  const StringCounts* counts = nullptr;  // of the same shape
  int64_t devices = 0;                   // that counts.reports() come from; >= 1
  StringMessages messages = StringMessages::kOne;
  double gamma = 0;  // of kOne, in [0, 1); else not looked at
};

// InvalidArgument, naming the field and its bound; among them that devices cannot have sent so few
// reports.
absl::Status Validate(const StringBatch& batch);

// What a report of a batch says.
struct ReportModel {
  double devices = 0;
  double range = 0;
  double own = 1;    // the share of reports that are no dummies
  double gamma = 0;  // with which one of those is uniform
  bool every_level = false;

  static ReportModel Of(const StringBatch& batch);
  // The share of all devices that hold a string of which `cells` of `reports` reports are in its
  // cells, where strings with a share of `others` in all were seen not to lie there.
  double Share(double cells, double reports, double others) const;
  // The standard deviation of devices * Share for a string that `holders` devices hold, over so
  // many levels.
  double Deviation(double reports, double holders, double others, int64_t levels) const;

 private:
  double truthful() const { return own * (1 - gamma); }
};

// A string that stands out, or a prefix of several: between the first and the last level, both
// inclusive, it is alone with its prefix. At least as many symbols as go through
// the last.
struct LiveString {
  strings::Symbols symbols;
  int64_t first = 0;
  int64_t last = 0;
};

struct HolderEstimate {
  double holders = 0;
  double stderr_of = 0;
};

// In the order of `live`. Each from the functions under which no other live string of the level
// shares its cell (from all of them where there is none), in four passes: what the others hold
// comes from the pass before. A pure function.
std::vector<HolderEstimate> EstimateHolders(const StringBatch& batch,
                                            absl::Span<const LiveString> live);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_DECODE_ESTIMATES_H_
