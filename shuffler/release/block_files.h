// Scattered records in files: what lets a batch be larger than memory.
#ifndef TOMBOLA_SHUFFLER_RELEASE_BLOCK_FILES_H_
#define TOMBOLA_SHUFFLER_RELEASE_BLOCK_FILES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "shuffler/disk/append_writer.h"
#include "shuffler/permute/scatter.h"

namespace tombola::shuffler {

// Files in a directory that lose their names before anything is written to them, so that they go
// with the process however it ends. A block holds its records in the order of arrival, so each is
// emptied as soon as it is loaded. Never synced.
class BlockFiles final : public ScatterBlocks {
 public:
  static absl::StatusOr<BlockFiles> Create(const std::string& directory, size_t blocks);

  size_t size() const override { return writers_.size(); }
  absl::Status Append(size_t block, absl::Span<const uint8_t> record) override;
  absl::StatusOr<absl::Span<uint8_t>> Load(size_t block) override;

 private:
  BlockFiles() = default;

  std::vector<AppendWriter> writers_;
  std::vector<uint8_t> loaded_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_RELEASE_BLOCK_FILES_H_
