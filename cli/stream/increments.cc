#include "cli/stream/increments.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/base/status_macros.h"

namespace tombola::cli {
namespace {

constexpr size_t kMostBuffered = size_t{1} << 17;
constexpr size_t kLongestLine = 4096;
constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Decimal digits, and a sign before them; none for anything else. One that is too large is the
// largest, or the smallest.
std::optional<int64_t> TakeNumber(absl::string_view* text) {
  int64_t number = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), number);
  if (read.ptr == text->data()) return std::nullopt;
  if (read.ec == std::errc::result_out_of_range) {
    number = text->front() == '-' ? INT64_MIN : INT64_MAX;
  }
  text->remove_prefix(static_cast<size_t>(read.ptr - text->data()));
  return number;
}

void SkipBlanks(absl::string_view* text) {
  while (!text->empty() && IsBlank(text->front())) text->remove_prefix(1);
}

std::optional<IncrementLine> ReadLine(absl::string_view text) {
  const std::optional<int64_t> first = TakeNumber(&text);
  if (!first.has_value()) return std::nullopt;
  const size_t before = text.size();
  SkipBlanks(&text);
  if (text.empty()) return IncrementLine{.increment = *first};
  if (text.front() == ',') {
    text.remove_prefix(1);
    SkipBlanks(&text);
  } else if (text.size() == before) {
    return std::nullopt;
  }
  const std::optional<int64_t> second = TakeNumber(&text);
  SkipBlanks(&text);
  if (!second.has_value() || !text.empty()) return std::nullopt;
  return IncrementLine{.names_period = true, .period = *first, .increment = *second};
}

}  // namespace

absl::Status IncrementReader::Refuse(absl::string_view why) const {
  return absl::InvalidArgumentError(absl::StrCat("line ", line_, ": ", why));
}

absl::Status IncrementReader::Next(int64_t next, int64_t left, std::vector<int64_t>& increments) {
  const size_t had = increments.size();
  absl::string_view line;
  while (true) {
    while (TakeLine(&line)) {
      const auto taken = static_cast<int64_t>(increments.size() - had);
      TOMBOLA_RETURN_IF_ERROR(Take(line, next + taken, left - taken, increments));
    }
    if (increments.size() > had || at_end_) return absl::OkStatus();
    TOMBOLA_RETURN_IF_ERROR(Fill());
  }
}

bool IncrementReader::TakeLine(absl::string_view* line) {
  const absl::string_view rest = absl::string_view(buffer_.data() + taken_, filled_ - taken_);
  if (rest.empty()) return false;
  const void* const found = std::memchr(rest.data(), '\n', rest.size());
  if (found == nullptr && !at_end_ && rest.size() <= kLongestLine) return false;
  const size_t size = found == nullptr
                          ? rest.size()
                          : static_cast<size_t>(static_cast<const char*>(found) - rest.data());
  *line = rest.substr(0, size);
  taken_ += size + (found == nullptr ? 0 : 1);
  if (++line_ == 1) absl::ConsumePrefix(line, kByteOrderMark);
  return true;
}

absl::Status IncrementReader::Take(absl::string_view line, int64_t next, int64_t left,
                                   std::vector<int64_t>& increments) {
  if (line.size() > kLongestLine) {
    return Refuse(absl::StrCat("must have at most ", kLongestLine, " bytes"));
  }
  SkipBlanks(&line);
  if (line.empty()) return absl::OkStatus();
  const std::optional<IncrementLine> read = ReadLine(line);
  if (!read.has_value()) {
    return Refuse(absl::StrCat("must be an increment, a whole number in [0, ", most_,
                               "], or a period and an increment"));
  }
  if (left <= 0) {
    return absl::OutOfRangeError(
        absl::StrCat("line ", line_, ": there are no more than ", next - 1, " periods"));
  }
  if (read->names_period && read->period != next) {
    return Refuse(absl::StrCat("the period must be ", next, ", the next one, is ", read->period));
  }
  if (read->increment < 0 || read->increment > most_) {
    return Refuse(absl::StrCat("the increment must be in [0, ", most_, "]"));
  }
  increments.push_back(read->increment);
  return absl::OkStatus();
}

absl::Status IncrementReader::Fill() {
  buffer_.resize(kMostBuffered);
  std::memmove(buffer_.data(), buffer_.data() + taken_, filled_ - taken_);
  filled_ -= taken_;
  taken_ = 0;
  pollfd input = {.fd = descriptor_, .events = POLLIN, .revents = 0};
  do {
    const ssize_t read = ::read(descriptor_, buffer_.data() + filled_, buffer_.size() - filled_);
    if (read < 0 && (errno == EINTR || errno == EAGAIN)) {
      ::poll(&input, 1, -1);  // somebody else made it so that reading does not wait
      continue;
    }
    if (read < 0) {
      return absl::UnavailableError(
          absl::StrCat("cannot read standard input: ", std::strerror(errno)));
    }
    filled_ += static_cast<size_t>(read);
    at_end_ = read == 0;
  } while (!at_end_ && filled_ < buffer_.size() && (filled_ == 0 || ::poll(&input, 1, 0) > 0));
  return absl::OkStatus();
}

}  // namespace tombola::cli
