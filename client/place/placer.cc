#include "client/place/placer.h"

#include <utility>

#include "client/place/histogram.h"
#include "common/kind/histogram.h"
#include "common/kind/of_kind.h"

namespace tombola::client {

const Placers& Placers::BuiltIn() {
  static const Placers& placers = *new Placers({{Histogram::kName, &HistogramPlacer::Make}});
  return placers;
}

Placers::Placers(std::vector<Entry> entries) : entries_(std::move(entries)) {}

std::unique_ptr<Placer> Placers::Make(std::shared_ptr<const Task> task) const {
  const Entry& entry = OfKind(entries_, task->kind().name());
  return entry.make(std::move(task));
}

}  // namespace tombola::client
