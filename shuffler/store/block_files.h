// Scattered records in files: what lets a batch be larger than memory.
#ifndef TOMBOLA_SHUFFLER_STORE_BLOCK_FILES_H_
#define TOMBOLA_SHUFFLER_STORE_BLOCK_FILES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "shuffler/permute/scatter.h"
#include "shuffler/store/append_writer.h"

namespace tombola::shuffler {

// Files `block-<i>` in a directory that a restart removes: they are never synced. A block holds its
// records in the order of arrival, so each is removed as soon as it is loaded, and all of them with
// the object.
class BlockFiles final : public ScatterBlocks {
 public:
  static absl::StatusOr<BlockFiles> Create(const std::string& directory, size_t blocks);
  BlockFiles(BlockFiles&&) = default;
  ~BlockFiles() override;

  size_t size() const override { return writers_.size(); }
  absl::Status Append(size_t block, absl::Span<const uint8_t> record) override;
  absl::StatusOr<absl::Span<uint8_t>> Load(size_t block) override;

 private:
  BlockFiles() = default;

  std::vector<AppendWriter> writers_;
  std::vector<uint8_t> loaded_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_STORE_BLOCK_FILES_H_
