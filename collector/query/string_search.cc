#include "collector/query/string_search.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/answer/strings.h"
#include "common/base/encoding.h"
#include "common/base/status_macros.h"
#include "common/crypto/sha256.h"
#include "common/kind/strings.h"
#include "common/strings/public_functions.h"

namespace tombola::collector {
namespace {

Decodings::Key KeyOf(const AskedStrings& asked, const v1::StringsQuestion& question) {
  std::string bytes(AsView(asked.task->id()));
  PutNumber(static_cast<uint8_t>(asked.periods.has_value()), bytes);
  const PartRange periods = asked.periods.value_or(PartRange());
  PutNumber(periods.first, bytes);
  PutNumber(periods.last, bytes);
  PutNumber(asked.counted_batches, bytes);
  v1::StringsQuestion searched = question;
  searched.clear_top();
  absl::StrAppend(&bytes, searched.SerializeAsString());
  return crypto::Sha256(bytes);
}

// Without the cells, which are not looked at again.
TaskTotals WithoutCells(const TaskTotals& totals) {
  TaskTotals kept;
  kept.counted_batches = totals.counted_batches;
  kept.quarantined_batches = totals.quarantined_batches;
  kept.expired_batches = totals.expired_batches;
  kept.good = totals.good;
  kept.tally = totals.tally;
  kept.smallest_batch = totals.smallest_batch;
  kept.rejected = totals.rejected;
  kept.duplicates = totals.duplicates;
  kept.parts = totals.parts;
  kept.counts.tables.push_back(
      {.reports = totals.counts.tables.front().reports, .counts = {}, .hashes = {}});
  kept.smallest_quarantined = totals.smallest_quarantined;
  kept.quarantined_parts = totals.quarantined_parts;
  kept.opened_parts = totals.opened_parts;
  return kept;
}

absl::StatusOr<FoundStrings> Search(const AskedStrings& asked, const v1::StringsQuestion& question,
                                    const Decodings::Progress& progress) {
  const auto& kind = static_cast<const StringsKind&>(asked.task->kind());
  // A long list takes a second to spell: here, and not whenever somebody asks.
  TOMBOLA_ASSIGN_OR_RETURN(const StringSearch search, ReadStringsQuestion(kind, question));
  std::shared_ptr<const TaskTotals> totals = asked.ledger->Totals(asked.task->id());
  if (asked.periods.has_value() && !totals->opened_parts.Within(*asked.periods)) {
    TOMBOLA_ASSIGN_OR_RETURN(TaskTotals sum,
                             asked.ledger->Sum(asked.task->id(), *asked.periods,
                                               [&] { return !progress(DecodeProgress()); }));
    totals = std::make_shared<const TaskTotals>(std::move(sum));
  }
  if (totals->counted_batches == 0) {
    return absl::FailedPreconditionError("no batch of these periods has been counted");
  }
  absl::StatusOr<StringCounts> counts =
      StringCounts::FromCells(kind.shape(), totals->counts.tables.front().cells);
  if (!counts.ok()) return absl::DataLossError(counts.status().message());
  FoundStrings found{.totals = WithoutCells(*totals), .decoded = {}};
  totals.reset();  // what is counted meanwhile makes totals of its own
  const strings::PublicFunctions functions(asked.task->id(), kind.shape());
  DecodeOptions options;
  options.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / 2);
  options.progress = progress;
  TOMBOLA_ASSIGN_OR_RETURN(found.decoded,
                           SearchStrings({.kind = kind,
                                          .functions = functions,
                                          .counts = *counts,
                                          .submissions = found.totals.tally.submissions},
                                         search, std::move(options)));
  return found;
}

}  // namespace

absl::StatusOr<Decodings::State> AskForStrings(const AskedStrings& asked,
                                               const v1::StringsQuestion& question,
                                               Decodings* decodings) {
  return decodings->Ask(KeyOf(asked, question),
                        [asked, question](const Decodings::Progress& progress) {
                          return Search(asked, question, progress);
                        });
}

}  // namespace tombola::collector
