// The page's files, from memory.
#ifndef TOMBOLA_COLLECTOR_HTTP_FILES_H_
#define TOMBOLA_COLLECTOR_HTTP_FILES_H_

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "common/http/message.h"

namespace tombola::collector {

// All files of a folder are read at start; what a request names is looked up among them and never
// on disk. Immutable and thread-safe.
class Files {
 public:
  // NotFound: there is no such folder, or no index.html in it. ResourceExhausted: more than 32 MiB
  // in all. Names that begin with a dot are left out.
  static absl::StatusOr<Files> Load(const std::string& directory);
  // Without a page: every path is answered by 404.
  Files() = default;

  // The file of the request's path ("/" is index.html), 304 if the asker has it, or 404.
  http::Response Serve(const http::Request& request) const;
  size_t size() const { return files_.size(); }

 private:
  struct File {
    std::shared_ptr<const std::string> content;
    std::string type;
    std::string tag;  // in quotes
  };

  absl::flat_hash_map<std::string, File> files_;  // by path, which begins with a slash
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_FILES_H_
