#include "cli/query/face.h"

#include "cli/query/histogram.h"
#include "cli/query/key_value.h"
#include "cli/query/number.h"
#include "cli/query/records.h"
#include "cli/query/set.h"
#include "cli/query/stream.h"
#include "cli/query/strings.h"
#include "common/kind/kind.h"
#include "common/kind/of_kind.h"

namespace tombola::cli {

const std::vector<QueryFace>& AllQueryFaces() {
  static const auto& all =
      *new std::vector<QueryFace>{HistogramFace(), SetFace(),    KeyValueFace(), NumberFace(),
                                  RecordsFace(),   StreamFace(), StringsFace()};
  return all;
}

const QueryFace& QueryFaceOf(const Task& task) {
  return OfKind(AllQueryFaces(), task.kind().name());
}

absl::string_view UsualPostprocess(const Task& task) {
  return OfKind(AllQueryFaces(), task.kind().OfOneBatch().name()).usual_postprocess;
}

}  // namespace tombola::cli
