#include "common/json/histogram.h"

#include "common/json/columns.h"
#include "common/json/text.h"

namespace tombola {
namespace {

// Without names and labels: a line end, numbers of up to 24 characters and what stands between.
constexpr int64_t kMostBinBytes = 200;

}  // namespace

std::string NameOf(const v1::Histogram& histogram, int row) {
  return NameOf<v1::Histogram>(histogram, row);
}

void Sort(BinOrder order, v1::Histogram& histogram) { SortColumns(order, histogram); }

int64_t MostHistogramText(int64_t bins, int64_t label_bytes) {
  // A character of a label may become six, and the whole has a head and an end.
  return 4096 + kMostBinBytes * bins + 6 * label_bytes;
}

std::string HistogramCsv(const v1::Histogram& histogram, const std::vector<double>& truth) {
  return ColumnsCsv(histogram, truth);
}

void AppendHistogramJson(const v1::Histogram& histogram, const std::vector<double>& truth,
                         std::string* out) {
  out->reserve(out->size() + static_cast<size_t>(MostHistogramText(histogram.values_size(), 0)));
  out->append("\"max_error\":");
  AppendNumber(histogram.max_error(), out);
  out->push_back(',');
  AppendRanking(histogram, out);
  AppendBins(histogram, truth, out);
}

}  // namespace tombola
