#include "lab/page/caps_section.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lab/page/markdown.h"

namespace tombola::lab {
namespace {

constexpr absl::string_view kCapsText =
    R"(`pure_dump` on a grid when of a device's τ tuples only c that are alike in what is asked for count: c cells of
a record with a tuple of another are hidden by noise for ⌊τ/c⌋ parts of c messages in one cell and one of the rest, and
⌈τ/c⌉ cells stand for what is not there or was cut off. Predicted NMSE of COUNT at (2, 10⁻⁶) and volume 0.07 / share of
all tuples that count / messages of a device:)";

const CapPoint* Find(const JoinStudy& study, int asked, int64_t tau, int64_t cap) {
  const auto found =
      std::find_if(study.capped.begin(), study.capped.end(), [&](const CapPoint& point) {
        return point.asked == asked && point.tau == tau && point.cap == cap;
      });
  return found == study.capped.end() ? nullptr : &*found;
}

// Of all points with so many attributes and this tau.
std::vector<const CapPoint*> OverCaps(const JoinStudy& study, int asked, int64_t tau) {
  std::vector<const CapPoint*> points;
  for (const int64_t cap : kCapTaus) {
    if (const CapPoint* point = Find(study, asked, tau, cap)) points.push_back(point);
  }
  return points;
}

}  // namespace

std::string CapsFinding(absl::Span<const JoinStudy> studies) {
  int64_t one = 0, between = 0, all = 0;
  std::vector<double> to_one, to_all;
  for (const JoinStudy& study : studies) {
    for (int asked = 2; asked <= kJoinAttributes; ++asked) {
      for (const int64_t tau : kCapTaus) {
        const std::vector<const CapPoint*> points = OverCaps(study, asked, tau);
        // There is something between 1 and tau from three caps on.
        if (points.size() < 3) continue;
        const auto less = [](const CapPoint* a, const CapPoint* b) { return a->nmse < b->nmse; };
        const auto best = std::min_element(points.begin(), points.end(), less);
        ++(best == points.begin() ? one : best == points.end() - 1 ? all : between);
        const double middle = (*std::min_element(points.begin() + 1, points.end() - 1, less))->nmse;
        to_one.push_back(middle / points.front()->nmse);
        to_all.push_back(middle / points.back()->nmse);
      }
    }
  }
  return absl::StrFormat(
      R"(**A cap on what is alike is cheap where tuples differ.** With one range all tuples of a device are alike, since
the first attribute is the device's own, and a cap cuts them as τ does, for more noise. With 2 and 3 ranges and τ of at
least 3 the least predicted NMSE of COUNT is at cap 1 in %d, between 1 and τ in %d, at τ in %d of %d cells; the best cap
between has %s times the NMSE of cap 1 and %s times that of cap τ.)",
      one, between, all, one + between + all, Span(to_one), Span(to_all));
}

std::string CapsOf(const JoinStudy& study) {
  std::vector<std::string> header = {"ranges, cap"};
  for (const int64_t tau : kCapTaus) {
    if (tau <= study.most) header.push_back(absl::StrCat("τ = ", tau));
  }
  std::vector<std::vector<std::string>> rows;
  for (int asked = 1; asked <= kJoinAttributes; ++asked) {
    for (const int64_t cap : kCapTaus) {
      if (cap > study.most) continue;
      std::vector<std::string>& row = rows.emplace_back();
      row.push_back(absl::StrCat(asked, ", c = ", cap));
      for (const int64_t tau : kCapTaus) {
        if (tau > study.most) continue;
        const CapPoint* const point = Find(study, asked, tau, cap);
        row.push_back(point == nullptr
                          ? "–"
                          : absl::StrFormat("%s / %.1f %% / %s", Scientific(point->nmse),
                                            100 * point->counted, ShortNumber(point->messages)));
      }
    }
  }
  return absl::StrCat("### ", study.data.title, ", B: caps on tuples that are alike\n\n",
                      Wrapped(kCapsText), "\n", TableOf(header, rows), "\n");
}

std::string CapsCsv(absl::Span<const JoinStudy> studies) {
  std::string out = "data,ranges,tau,cap,predicted_count_nmse,counted,noise_mean,messages\n";
  for (const JoinStudy& study : studies) {
    for (const CapPoint& point : study.capped) {
      absl::StrAppendFormat(&out, "%s,%d,%d,%d,%.6g,%.6g,%.6g,%.6g\n", study.data.key, point.asked,
                            point.tau, point.cap, point.nmse, point.counted, point.mean,
                            point.messages);
    }
  }
  return out;
}

}  // namespace tombola::lab
