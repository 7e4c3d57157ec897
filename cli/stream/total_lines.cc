#include "cli/stream/total_lines.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "absl/strings/string_view.h"

namespace tombola::cli {
namespace {

constexpr int kErrorDigits = 6;

// The names of a line's numbers in JSON, and what is between them in text.
struct LineParts {
  absl::string_view before_period, before_total, before_error, before_low, before_high, end;
};
constexpr LineParts kText = {"", "\t", "\t", "\t", "\t", "\n"};
constexpr LineParts kJson = {R"({"period":)", R"(,"total":)", R"(,"stderr":)",
                             R"(,"low":)",    R"(,"high":)",  "}\n"};

// Numbers are written one after the other without a text of each: this is what costs.
class LineWriter {
 public:
  LineWriter& operator<<(absl::string_view text) {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
    return *this;
  }
  LineWriter& operator<<(int64_t number) {
    at_ = std::to_chars(at_, buffer_ + sizeof(buffer_), number).ptr;
    return *this;
  }
  LineWriter& operator<<(double number) {
    at_ = std::to_chars(at_, buffer_ + sizeof(buffer_), number, std::chars_format::general,
                        kErrorDigits)
              .ptr;
    return *this;
  }
  absl::string_view text() const {
    return absl::string_view(buffer_, static_cast<size_t>(at_ - buffer_));
  }

 private:
  char buffer_[256];  // four whole numbers of 20 characters, the error, and names
  char* at_ = buffer_;
};

}  // namespace

void TotalLines::Append(int64_t period, const stream::NoisyTotal& total, std::string& out) const {
  const LineParts& parts = json_ ? kJson : kText;
  const TotalInterval interval = IntervalOf(total, deviations_);
  LineWriter line;
  line << parts.before_period << period << parts.before_total << total.total << parts.before_error
       << std::sqrt(total.variance) << parts.before_low << interval.low << parts.before_high
       << interval.high << parts.end;
  const absl::string_view text = line.text();
  out.append(text.data(), text.size());
}

}  // namespace tombola::cli
