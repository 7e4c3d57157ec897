// A value's own cell.
#ifndef TOMBOLA_CLIENT_PLACE_HISTOGRAM_H_
#define TOMBOLA_CLIENT_PLACE_HISTOGRAM_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/place/placer.h"

namespace tombola::client {

// A record is a value of the task's domain: its label, or its number where values have none. What
// is outside is the domain's "other" value if there is one. Draws nothing.
class HistogramPlacer final : public Placer {
 public:
  static std::unique_ptr<Placer> Make(std::shared_ptr<const Task> task);

  absl::StatusOr<mechanism::Cells> Place(const RecordView& record,
                                         RandomSource& random) const override;

 private:
  explicit HistogramPlacer(std::shared_ptr<const Task> task);

  std::shared_ptr<const Task> task_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_PLACE_HISTOGRAM_H_
