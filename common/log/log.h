// Structured logs: one JSON object a line on standard error.
//
// What may be logged: events of the daemon's own life and of whole batches, with counts, durations,
// ids of tasks and batches, and status texts. What may not: anything of a report or a submission,
// keys, addresses of peers. Fields are numbers and short texts, so that nothing else slips in.
#ifndef TOMBOLA_COMMON_LOG_LOG_H_
#define TOMBOLA_COMMON_LOG_LOG_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <variant>

#include "absl/strings/string_view.h"

namespace tombola::log {

enum class Level { kDebug, kInfo, kWarning, kError };

struct Field {
  absl::string_view key;
  std::variant<int64_t, double, std::string> value;

  Field(absl::string_view k, int64_t v) : key(k), value(v) {}
  Field(absl::string_view k, int v) : key(k), value(int64_t{v}) {}
  Field(absl::string_view k, double v) : key(k), value(v) {}
  Field(absl::string_view k, std::string v) : key(k), value(std::move(v)) {}
  Field(absl::string_view k, absl::string_view v) : key(k), value(std::string(v)) {}
  Field(absl::string_view k, const char* v) : key(k), value(std::string(v)) {}
};

// Lines below this level are dropped; kInfo at start. Thread-safe.
void SetLevel(Level level);
// `debug`, `info`, `warning` or `error`; nothing for another word.
std::optional<Level> ParseLevel(absl::string_view name);

// Thread-safe; a line is written with one system call.
void Write(Level level, absl::string_view event, std::initializer_list<Field> fields);

inline void Debug(absl::string_view event, std::initializer_list<Field> fields = {}) {
  Write(Level::kDebug, event, fields);
}
inline void Info(absl::string_view event, std::initializer_list<Field> fields = {}) {
  Write(Level::kInfo, event, fields);
}
inline void Warning(absl::string_view event, std::initializer_list<Field> fields = {}) {
  Write(Level::kWarning, event, fields);
}
inline void Error(absl::string_view event, std::initializer_list<Field> fields = {}) {
  Write(Level::kError, event, fields);
}

}  // namespace tombola::log

#endif  // TOMBOLA_COMMON_LOG_LOG_H_
