#include "cli/query/set.h"

#include "absl/strings/str_cat.h"
#include "cli/query/items.h"
#include "common/json/set.h"
#include "common/kind/set.h"

namespace tombola::cli {
namespace {

std::string BesideSet(const QueryOptions& options, const v1::Answer& answer, const Task& /*task*/) {
  return absl::StrCat(DescribeBand(AsHistogram(answer.set()), options.confidence),
                      DescribePlaces(options, answer.set().ranking()),
                      DescribeSizes(answer.set().sizes()));
}

}  // namespace

QueryFace SetFace() {
  return {.kind = Set::kName,
          .usual_postprocess = "clip",
          .ask =
              [](const QueryOptions& options, const Task& task, v1::GetAnswerRequest* request) {
                return AskItems(options, task, request->mutable_set());
              },
          .sort = [](BinOrder order, v1::Answer* answer) { Sort(order, *answer->mutable_set()); },
          .truth =
              [](const QueryOptions& options, const v1::Answer& answer, const Task& task) {
                return ItemsTruth(answer.set().values(), task, options.truth);
              },
          .write_table =
              [](const QueryOptions& options, const v1::Answer& answer, const Task& task,
                 const Truth& truth, std::ostream& out) {
                WriteShares(options, AsHistogram(answer.set()), task, truth, out);
                out << BesideSet(options, answer, task);
              },
          .write_chart =
              [](const QueryOptions& options, const v1::Answer& answer, const Task& task,
                 const Truth& truth, std::ostream& out) {
                WriteSharesChart(options, answer, AsHistogram(answer.set()), task, truth, {}, out);
              },
          .beside_rows = &BesideSet};
}

}  // namespace tombola::cli
