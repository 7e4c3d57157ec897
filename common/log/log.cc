#include "common/log/log.h"

#include <unistd.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace tombola::log {
namespace {

std::atomic<Level> g_level{Level::kInfo};

const char* Name(Level level) {
  switch (level) {
    case Level::kDebug:
      return "debug";
    case Level::kInfo:
      return "info";
    case Level::kWarning:
      return "warning";
    case Level::kError:
      return "error";
  }
  return "";
}

}  // namespace

void SetLevel(Level level) { g_level = level; }

std::optional<Level> ParseLevel(absl::string_view name) {
  for (const Level level : {Level::kDebug, Level::kInfo, Level::kWarning, Level::kError}) {
    if (name == Name(level)) return level;
  }
  return std::nullopt;
}

void Write(Level level, absl::string_view event, std::initializer_list<Field> fields) {
  if (level < g_level.load(std::memory_order_relaxed)) return;
  nlohmann::ordered_json line;
  line["time"] = absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::Now(), absl::UTCTimeZone());
  line["level"] = Name(level);
  line["event"] = std::string(event);
  for (const Field& field : fields) {
    std::visit([&](const auto& value) { line[std::string(field.key)] = value; }, field.value);
  }
  // A text that is not UTF-8 must not throw: its odd bytes are replaced.
  const std::string text = absl::StrCat(
      line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), "\n");
  // A log that cannot be written is no reason to stop serving.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace tombola::log
