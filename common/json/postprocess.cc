#include "common/json/postprocess.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tombola {
namespace {

constexpr absl::string_view kPrefix = "POSTPROCESS_";

}  // namespace

const std::vector<std::string>& PostprocessNames() {
  static const auto* const names = [] {
    auto* const all = new std::vector<std::string>;
    const auto& listed = *v1::Postprocess_descriptor();
    for (int i = 0; i < listed.value_count(); ++i) {
      if (listed.value(i)->number() == v1::POSTPROCESS_UNSPECIFIED) continue;
      all->push_back(absl::AsciiStrToLower(absl::StripPrefix(listed.value(i)->name(), kPrefix)));
    }
    return all;
  }();
  return *names;
}

std::optional<v1::Postprocess> PostprocessFromName(absl::string_view name) {
  for (const std::string& known : PostprocessNames()) {
    if (known != name) continue;
    v1::Postprocess found = v1::POSTPROCESS_UNSPECIFIED;
    v1::Postprocess_Parse(absl::StrCat(kPrefix, absl::AsciiStrToUpper(name)), &found);
    return found;
  }
  return std::nullopt;
}

}  // namespace tombola
