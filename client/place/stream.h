// The cells of what a device has in a period, the same in each of a stream's nodes.
#ifndef TOMBOLA_CLIENT_PLACE_STREAM_H_
#define TOMBOLA_CLIENT_PLACE_STREAM_H_

#include <memory>

#include "absl/status/statusor.h"
#include "client/place/placer.h"

namespace tombola::client {

// A record is a value of the task's domain, as of a histogram: the one that the device has in the
// period. Its cell is the same in every node's table. Draws nothing.
class StreamPlacer final : public Placer {
 public:
  // Of a stream of something else its own placer: what that draws, it draws once for all nodes.
  static std::unique_ptr<Placer> Make(std::shared_ptr<const Task> task);

  absl::StatusOr<mechanism::Cells> Place(const RecordView& record,
                                         RandomSource& random) const override;

 private:
  explicit StreamPlacer(std::shared_ptr<const Task> task);

  std::shared_ptr<const Task> task_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_PLACE_STREAM_H_
