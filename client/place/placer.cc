#include "client/place/placer.h"

#include <utility>

#include "client/place/histogram.h"
#include "client/place/key_value.h"
#include "client/place/number.h"
#include "client/place/records.h"
#include "client/place/set.h"
#include "client/place/stream.h"
#include "client/place/strings.h"
#include "common/kind/histogram.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/of_kind.h"
#include "common/kind/records.h"
#include "common/kind/set.h"
#include "common/kind/stream.h"
#include "common/kind/strings.h"

namespace tombola::client {

const Placers& Placers::BuiltIn() {
  static const Placers& placers = *new Placers({{Histogram::kName, &HistogramPlacer::Make},
                                                {Set::kName, &SetPlacer::Make},
                                                {KeyValueKind::kName, &KeyValuePlacer::Make},
                                                {NumberKind::kName, &NumberPlacer::Make},
                                                {RecordsKind::kName, &RecordsPlacer::Make},
                                                {StreamKind::kName, &StreamPlacer::Make},
                                                {StringsKind::kName, &StringsPlacer::Make}});
  return placers;
}

Placers::Placers(std::vector<Entry> entries) : entries_(std::move(entries)) {}

std::unique_ptr<Placer> Placers::Make(std::shared_ptr<const Task> task) const {
  const Entry& entry = OfKind(entries_, task->kind().name());
  return entry.make(std::move(task));
}

}  // namespace tombola::client
