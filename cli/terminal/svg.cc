#include "cli/terminal/svg.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace tombola::svg {
namespace {

constexpr char kStyleSheet[] = R"(<style>
text{font:13px system-ui,sans-serif;fill:#1f2328}
.title{font-weight:600;font-size:15px}
.note{font-size:11.5px;fill:#57606a}
.paper{fill:#ffffff}
.grid{stroke:#d8dee4;stroke-width:1}
.frame{fill:none;stroke:#8b949e;stroke-width:1}
.line{fill:none;stroke-width:1.8;stroke-linejoin:round}
.dashed{stroke-dasharray:6 4}
.mark{stroke-width:1.6}
.bar{fill:currentColor;fill-opacity:.55;stroke-width:0}
.whisker{fill:none;stroke:#1f2328;stroke-width:1.3}
.s0{stroke:#1a6fd4;color:#1a6fd4}.s1{stroke:#d1242f;color:#d1242f}
.s2{stroke:#1a7f37;color:#1a7f37}.s3{stroke:#bc6c00;color:#bc6c00}
.s4{stroke:#8250df;color:#8250df}.s5{stroke:#0b8a8f;color:#0b8a8f}
.s6{stroke:#bf3989;color:#bf3989}.s7{stroke:#7d5a3c;color:#7d5a3c}
.s8{stroke:#57606a;color:#57606a}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.note{fill:#adbac7}.paper{fill:#0d1117}.grid{stroke:#2d333b}
.frame{stroke:#768390}.whisker{stroke:#e6edf3}
.s0{stroke:#6cb6ff;color:#6cb6ff}.s1{stroke:#ff7b72;color:#ff7b72}
.s2{stroke:#57d364;color:#57d364}.s3{stroke:#ffb657;color:#ffb657}
.s4{stroke:#c9a6ff;color:#c9a6ff}.s5{stroke:#4fd6dc;color:#4fd6dc}
.s6{stroke:#ff9bce;color:#ff9bce}.s7{stroke:#d6a77a;color:#d6a77a}
.s8{stroke:#adbac7;color:#adbac7}}
</style>
)";

}  // namespace

std::string Begin(const Page& page) {
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" "
      "height=\"%g\" role=\"img\">\n<title>%s</title>\n",
      page.width, page.height, page.width, page.height, Escape(page.title));
  if (!page.description.empty()) {
    absl::StrAppend(&svg, "<desc>", Escape(page.description), "</desc>\n");
  }
  svg += kStyleSheet;
  absl::StrAppendFormat(&svg, "<rect class=\"paper\" width=\"%g\" height=\"%g\"/>\n", page.width,
                        page.height);
  return svg;
}

std::string Escape(absl::string_view text) {
  std::string out = absl::StrReplaceAll(text, {{"&", "&amp;"},
                                               {"<", "&lt;"},
                                               {">", "&gt;"},
                                               {"\"", "&quot;"},
                                               {"\xef\xbf\xbe", "\ufffd"},
                                               {"\xef\xbf\xbf", "\ufffd"}});
  for (size_t at = 0; at < out.size(); ++at) {
    const auto byte = static_cast<unsigned char>(out[at]);
    if (byte < 0x20 && byte != '\t' && byte != '\n') out.replace(at, 1, "\ufffd");
  }
  return out;
}

}  // namespace tombola::svg
