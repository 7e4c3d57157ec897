// What stands before the HTTP handlers: the target of a request line, and the file of tokens.
//
// The first byte chooses which; then the text.
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "common/base/check.h"
#include "common/http/target.h"
#include "common/http/token_file.h"
#include "common/text/utf8.h"
#include "tests/fuzz/input.h"

namespace tombola::fuzz {
namespace {

// Every byte but the slashes that divide a path.
std::string Encode(absl::string_view text, bool path) {
  std::string encoded;
  for (const char c : text) {
    if (path && c == '/') {
      encoded.push_back(c);
    } else {
      absl::StrAppendFormat(&encoded, "%%%02x", static_cast<uint8_t>(c));
    }
  }
  return encoded;
}

void RunTarget(absl::string_view text) {
  const auto target = http::ParseTarget(text);
  if (!target.ok()) {
    TOMBOLA_CHECK(absl::IsInvalidArgument(target.status()));
    return;
  }
  TOMBOLA_CHECK(target->path.starts_with('/') && IsPlainText(target->path));
  for (const absl::string_view segment : absl::StrSplit(target->path, '/')) {
    TOMBOLA_CHECK(segment != "." && segment != "..");
  }
  std::string again = absl::StrCat(Encode(target->path, true), "?");
  for (const auto& [name, value] : target->query) {
    TOMBOLA_CHECK(IsPlainText(name) && IsPlainText(value));
    absl::StrAppend(&again, Encode(name, false), "=", Encode(value, false), "&");
  }
  const auto same = http::ParseTarget(again);
  TOMBOLA_CHECK(same.ok() && same->path == target->path && same->query == target->query);
}

void RunTokens(absl::string_view text) {
  const auto entries = http::ParseTokens(text);
  if (!entries.ok()) {
    TOMBOLA_CHECK(absl::IsInvalidArgument(entries.status()));
    TOMBOLA_CHECK(IsPlainText(entries.status().message()));
    return;
  }
  std::string again;
  for (const http::TokenEntry& entry : *entries) {
    TOMBOLA_CHECK(http::CheckTokenRole(entry.role).ok() && http::CheckTokenName(entry.name).ok());
    absl::StrAppend(&again, entry.role, " ",
                    absl::BytesToHexString(std::string(entry.digest.begin(), entry.digest.end())),
                    " ", entry.name, "\n");
  }
  const auto same = http::ParseTokens(again);
  TOMBOLA_CHECK(same.ok() && same->size() == entries->size());
  for (size_t i = 0; i < same->size(); ++i) {
    TOMBOLA_CHECK((*same)[i].digest == (*entries)[i].digest &&
                  (*same)[i].name == (*entries)[i].name);
  }
}

void Run(Input input) {
  if (input.Byte() % 2 == 0) {
    RunTarget(input.Rest());
  } else {
    RunTokens(input.Rest());
  }
}

}  // namespace
}  // namespace tombola::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tombola::fuzz::Run({data, size});
  return 0;
}
