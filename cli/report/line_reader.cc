#include "cli/report/line_reader.h"

#include "cli/report/histogram_line.h"
#include "cli/report/key_value_line.h"
#include "cli/report/number_line.h"
#include "cli/report/records_line.h"
#include "cli/report/set_line.h"
#include "cli/report/stream_line.h"
#include "cli/report/strings_line.h"
#include "common/kind/histogram.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/records.h"
#include "common/kind/set.h"
#include "common/kind/stream.h"
#include "common/kind/strings.h"

namespace tombola::cli {

const std::vector<LineReader>& AllLineReaders() {
  static const auto& all = *new std::vector<LineReader>{
      {.kind = Histogram::kName, .read = &HistogramRecord},
      {.kind = Set::kName, .read = &SetRecord},
      {.kind = KeyValueKind::kName, .read = &KeyValueRecord},
      {.kind = NumberKind::kName, .read = &NumberRecord},
      {.kind = RecordsKind::kName, .read = &RecordsRecord},
      {.kind = StreamKind::kName, .read = &StreamRecord},
      {.kind = StringsKind::kName, .read = &StringsRecord},
  };
  return all;
}

}  // namespace tombola::cli
