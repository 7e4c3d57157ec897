#include "cli/report/device_lines.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tombola::cli {
namespace {

constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

std::string ToText(const Complaint& complaint) {
  return absl::StrCat("line ", complaint.line, ": ", complaint.why);
}

Devices DeviceLines::Next(size_t limit) {
  Devices devices;
  std::string line;
  while (devices.values.size() < limit && std::getline(in_, line)) {
    ++line_;
    absl::string_view said = line;
    if (line_ == 1) absl::ConsumePrefix(&said, kByteOrderMark);
    absl::ConsumeSuffix(&said, "\r");
    if (absl::StripAsciiWhitespace(said).empty()) continue;
    absl::StatusOr<Record> record = read_(said);
    if (record.ok()) {
      devices.values.push_back(*std::move(record));
      devices.lines.push_back(line_);
      continue;
    }
    ++bad_;
    if (complaints_.size() < kMostComplaints) {
      complaints_.push_back({.line = line_, .why = std::string(record.status().message())});
    }
  }
  return devices;
}

std::vector<std::string> NotSent(const DeviceLines& lines, const ManyOutcome& outcome) {
  // Of both the first are known, and so are the first of all.
  std::vector<Complaint> first = lines.complaints();
  first.insert(first.end(), outcome.outside.begin(), outcome.outside.end());
  std::sort(first.begin(), first.end(),
            [](const Complaint& a, const Complaint& b) { return a.line < b.line; });
  first.resize(std::min(first.size(), kMostComplaints));
  std::vector<std::string> texts;
  texts.reserve(first.size() + 1);
  for (const Complaint& complaint : first) texts.push_back(ToText(complaint));
  const int64_t more = lines.bad() + outcome.rejected - static_cast<int64_t>(texts.size());
  if (more > 0 && !texts.empty()) texts.push_back(absl::StrCat("and ", more, " more"));
  return texts;
}

}  // namespace tombola::cli
