// The digests of released and destroyed submissions, kept on disk until their window is over.
#ifndef TOMBOLA_SHUFFLER_DIGESTS_SEEN_FILES_H_
#define TOMBOLA_SHUFFLER_DIGESTS_SEEN_FILES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/base/ids.h"
#include "shuffler/digests/digest.h"

namespace tombola::shuffler {

using DigestsByWindow = std::map<uint32_t, std::vector<Digest>>;

// One file a task and window, `<task hex>/<window>.digests`, with its digests sorted: of the order
// of arrival, and of which report came with which submission, nothing is left. Not thread-safe.
class SeenFiles {
 public:
  explicit SeenFiles(std::string directory) : directory_(std::move(directory)) {}

  // Removes drafts and visits everything. DataLoss: a file is damaged.
  using Visit = std::function<void(const TaskId&, uint32_t window, absl::Span<const Digest>)>;
  absl::Status Load(const Visit& visit) const;

  // Adds the digests, durably; those that are there already stay once. Windows before `oldest` are
  // left out. Sorts `digests`.
  absl::Status Merge(const TaskId& task, DigestsByWindow& digests, uint32_t oldest) const;

  // Removes the windows before this one.
  absl::Status Forget(const TaskId& task, uint32_t window) const;

 private:
  std::string TaskDirectory(const TaskId& task) const;

  const std::string directory_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_DIGESTS_SEEN_FILES_H_
