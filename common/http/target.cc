#include "common/http/target.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "common/base/status_macros.h"
#include "common/text/utf8.h"

namespace tombola::http {
namespace {

int HexValue(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(digit));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

enum class Plus { kItself, kSpace };

absl::StatusOr<std::string> Decode(absl::string_view text, Plus plus) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i] == '+' && plus == Plus::kSpace ? ' ' : text[i]);
      continue;
    }
    const int high = i + 2 < text.size() ? HexValue(text[i + 1]) : -1;
    const int low = high >= 0 ? HexValue(text[i + 2]) : -1;
    if (low < 0) {
      return absl::InvalidArgumentError(
          "in the target a percent sign must be followed by two hexadecimal digits");
    }
    decoded.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  if (!IsPlainText(decoded)) {
    return absl::InvalidArgumentError("the target must be UTF-8 without control characters");
  }
  return decoded;
}

// `text` begins with a slash.
absl::StatusOr<std::string> DecodePath(absl::string_view text) {
  std::string path;
  for (const absl::string_view part : absl::StrSplit(text.substr(1), '/')) {
    const absl::StatusOr<std::string> segment = Decode(part, Plus::kItself);
    if (!segment.ok()) return segment.status();
    if (*segment == "." || *segment == ".." || segment->find_first_of("/\\") != segment->npos) {
      return absl::InvalidArgumentError(
          "a segment of the path must not be '.' or '..' nor hold a slash or backslash");
    }
    path.append("/").append(*segment);
  }
  return path;
}

}  // namespace

absl::StatusOr<Target> ParseTarget(absl::string_view target) {
  if (target.empty() || target.front() != '/') {
    return absl::InvalidArgumentError("the target must begin with a slash");
  }
  if (target.find('#') != absl::string_view::npos) {
    return absl::InvalidArgumentError("the target must have no fragment");
  }
  const std::pair<absl::string_view, absl::string_view> halves =
      absl::StrSplit(target, absl::MaxSplits('?', 1));
  Target parsed;
  TOMBOLA_ASSIGN_OR_RETURN(parsed.path, DecodePath(halves.first));
  for (const absl::string_view part : absl::StrSplit(halves.second, '&', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    TOMBOLA_ASSIGN_OR_RETURN(std::string name, Decode(pair.first, Plus::kSpace));
    TOMBOLA_ASSIGN_OR_RETURN(std::string value, Decode(pair.second, Plus::kSpace));
    parsed.query.emplace_back(std::move(name), std::move(value));
  }
  return parsed;
}

}  // namespace tombola::http
