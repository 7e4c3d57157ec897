#include "common/json/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tombola {
namespace {

bool IsPlain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

}  // namespace

std::string ToText(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void AppendNumber(double number, std::string* out) {
  if (!std::isfinite(number)) {
    out->append("null");
    return;
  }
  char buffer[32];  // the longest, such as -2.2250738585072014e-308, has 24
  char* const end = std::to_chars(buffer, buffer + sizeof(buffer), number).ptr;
  out->append(buffer, end);
  if (std::none_of(buffer, end, [](char c) { return c == '.' || c == 'e'; })) out->append(".0");
}

void AppendText(absl::string_view text, std::string* out) {
  if (!std::all_of(text.begin(), text.end(), IsPlain)) {
    out->append(ToText(Json(std::string(text))));
    return;
  }
  out->push_back('"');
  out->append(text.data(), text.size());
  out->push_back('"');
}

}  // namespace tombola
