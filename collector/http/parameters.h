// The parameters of a request, checked one by one.
#ifndef TOMBOLA_COLLECTOR_HTTP_PARAMETERS_H_
#define TOMBOLA_COLLECTOR_HTTP_PARAMETERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/http/message.h"

namespace tombola::collector {

// Remembers the first that is wrong, so that a handler reads all of them and then asks once. Every
// parameter that nobody has read is unknown, and refused. Not thread-safe; the request outlives it.
class Parameters {
 public:
  explicit Parameters(const http::Request& request) : query_(request.query) {}

  // Nothing if it is not there. What may be given once only is refused when it comes twice.
  std::optional<std::string> Text(absl::string_view name);
  std::optional<double> Number(absl::string_view name);
  std::optional<int64_t> Integer(absl::string_view name, int64_t least, int64_t most);
  // Unix seconds, 1 or more, of what ParseMoment (common/base/time_text.h) reads.
  std::optional<int64_t> Moment(absl::string_view name);
  // One of `choices`; the first if it is not there.
  std::string OneOf(absl::string_view name, absl::Span<const absl::string_view> choices);
  // Those that may repeat, in their order.
  std::vector<std::string> Texts(absl::string_view name);
  std::vector<double> Numbers(absl::string_view name);

  // To be called when all have been read. InvalidArgument names the parameter and its bound.
  absl::Status Finish();

 private:
  void Refuse(absl::string_view name, absl::string_view bound);

  const std::vector<std::pair<std::string, std::string>>& query_;
  std::vector<std::string> read_;
  absl::Status status_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_PARAMETERS_H_
