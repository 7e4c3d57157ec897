#include "collector/http/files.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/base/ids.h"
#include "common/base/status_macros.h"
#include "common/crypto/sha256.h"

namespace tombola::collector {
namespace {

constexpr size_t kMostBytes = 32 << 20;

// What a browser lets the page do: load from here and ask here, nothing else.
constexpr char kPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src "
    "'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr std::pair<absl::string_view, absl::string_view> kTypes[] = {
    {".css", "text/css; charset=utf-8"},
    {".html", "text/html; charset=utf-8"},
    {".ico", "image/x-icon"},
    {".js", "text/javascript; charset=utf-8"},
    {".json", "application/json"},
    {".png", "image/png"},
    {".svg", "image/svg+xml"},
    {".txt", "text/plain; charset=utf-8"},
    {".webmanifest", "application/manifest+json"},
    {".woff2", "font/woff2"}};

std::string TypeOf(absl::string_view path) {
  for (const auto& [ending, type] : kTypes) {
    if (absl::EndsWith(path, ending)) return std::string(type);
  }
  return "application/octet-stream";
}

absl::StatusOr<std::string> ReadWhole(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream content;
  if (in.peek() != std::ifstream::traits_type::eof()) content << in.rdbuf();
  if (!in.is_open() || in.bad() || content.bad()) {
    return absl::UnavailableError(absl::StrCat("cannot read ", path.string()));
  }
  return std::move(content).str();
}

// RFC 9110, section 13.1.2: a list of tags, weakly compared, or a star.
bool Has(absl::string_view if_none_match, absl::string_view tag) {
  for (absl::string_view known : absl::StrSplit(if_none_match, ',')) {
    known = absl::StripAsciiWhitespace(known);
    absl::ConsumePrefix(&known, "W/");
    if (known == tag || known == "*") return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<Files> Files::Load(const std::string& directory) {
  namespace fs = std::filesystem;
  Files files;
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    return absl::NotFoundError(absl::StrCat("there is no folder ", directory));
  }
  size_t bytes = 0;
  fs::recursive_directory_iterator it(directory, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (absl::StartsWith(it->path().filename().string(), ".")) {
      it.disable_recursion_pending();
      continue;
    }
    std::error_code ignored;
    if (!it->is_regular_file(ignored)) continue;
    bytes += it->file_size(ignored);
    if (bytes > kMostBytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat(directory, " has more than ", kMostBytes >> 20, " MiB"));
    }
    TOMBOLA_ASSIGN_OR_RETURN(std::string content, ReadWhole(it->path()));
    const std::string path =
        absl::StrCat("/", it->path().lexically_relative(directory).generic_string());
    File& file = files.files_[path];
    file.type = TypeOf(path);
    file.tag = absl::StrCat("\"", ToHex(crypto::Sha256(content)), "\"");
    file.content = std::make_shared<const std::string>(std::move(content));
  }
  if (error) {
    return absl::UnavailableError(absl::StrCat("cannot read ", directory, ": ", error.message()));
  }
  // Everybody may read what is served: a folder of something else is not.
  if (!files.files_.contains("/index.html")) {
    return absl::NotFoundError(absl::StrCat(directory, " has no index.html"));
  }
  return files;
}

http::Response Files::Serve(const http::Request& request) const {
  const auto it = files_.find(request.path == "/" ? "/index.html" : request.path);
  if (it == files_.end()) {
    return http::ErrorResponse(absl::NotFoundError(
        files_.empty()
            ? "there is no page: page_missing in the collector's log says where its files "
              "were looked for"
            : "there is nothing here"));
  }
  const File& file = it->second;
  http::Response response;
  response.type = file.type;
  response.headers = {{"ETag", file.tag},
                      {"Cache-Control", absl::StartsWith(it->first, "/assets/")
                                            ? "public, max-age=31536000, immutable"
                                            : "no-cache"},
                      {"Content-Security-Policy", kPolicy},
                      {"Cross-Origin-Opener-Policy", "same-origin"}};
  if (Has(request.if_none_match, file.tag)) {
    response.status = 304;
  } else {
    response.body = file.content;
  }
  return response;
}

}  // namespace tombola::collector
