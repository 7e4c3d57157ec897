#include "cli/demo/apps.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "common/kind/histogram.h"
#include "common/kind/key_value.h"
#include "common/kind/set.h"

namespace tombola::cli {
namespace {

constexpr const char* kApps[] = {"mail",   "maps",  "camera",  "browser", "music",
                                 "chat",   "clock", "photos",  "video",   "weather",
                                 "wallet", "notes", "fitness", "news",    "podcasts",
                                 "radio",  "games", "scanner", "compass", "recorder"};
constexpr size_t kAppCount = std::size(kApps);
constexpr uint32_t kMostApps = 12;

// Of devices that hold some of the apps, each perhaps with a number: an answer has a row for each
// app.
class AppPopulation : public Population {
 public:
  Truth TruthOf(const v1::Answer&, const Task&) const final {
    Truth truth;
    for (size_t k = 0; k < kAppCount; ++k) {
      truth.frequencies.push_back(holders_[k] / devices_);
      truth.means.push_back(holders_[k] > 0 ? sums_[k] / holders_[k] : std::nan(""));
    }
    return truth;
  }

 protected:
  explicit AppPopulation(int64_t devices)
      : Population(devices), holders_(kAppCount), sums_(kAppCount) {}

  static void DescribeApps(absl::string_view kind, const char* name, TaskRequestOptions* request) {
    request->kind = std::string(kind);
    request->name = name;
    request->values.assign(std::begin(kApps), std::end(kApps));
  }

  void CountDevice() { devices_ += 1; }
  void CountApp(size_t app, double number = 0) {
    holders_[app] += 1;
    sums_[app] += number;
  }

 private:
  double devices_ = 0;
  std::vector<double> holders_, sums_;
};

// The k-th most common value with weight 1/k.
class FavouriteApp final : public AppPopulation {
 public:
  explicit FavouriteApp(int64_t devices) : AppPopulation(devices) {
    double sum = 0;
    for (size_t k = 0; k < kAppCount; ++k) {
      cumulative_.push_back(sum += 1.0 / static_cast<double>(k + 1));
    }
  }

  absl::Status Describe(const std::string&, TaskRequestOptions* request) const override {
    DescribeApps(Histogram::kName, "favourite app", request);
    return absl::OkStatus();
  }

 private:
  Record NextDevice() override {
    const auto above =
        std::upper_bound(cumulative_.begin(), cumulative_.end(), Uniform() * cumulative_.back());
    const auto app = std::min(static_cast<size_t>(above - cumulative_.begin()), kAppCount - 1);
    CountDevice();
    CountApp(app);
    return std::string(kApps[app]);
  }

  std::vector<double> cumulative_;
};

// The k-th app is installed with probability 0.9 / (1 + k / 4).
bool Installed(size_t k, double uniform) {
  return uniform < 0.9 / (1 + static_cast<double>(k) / 4);
}

class InstalledApps final : public AppPopulation {
 public:
  explicit InstalledApps(int64_t devices) : AppPopulation(devices) {}

  absl::Status Describe(const std::string&, TaskRequestOptions* request) const override {
    DescribeApps(Set::kName, "installed apps", request);
    request->max_items = kMostApps;
    return absl::OkStatus();
  }

 private:
  Record NextDevice() override {
    CountDevice();
    std::vector<std::string> held;
    for (size_t k = 0; k < kAppCount; ++k) {
      if (!Installed(k, Uniform()) || held.size() == kMostApps) continue;
      CountApp(k);
      held.emplace_back(kApps[k]);
    }
    return held;
  }
};

// Of the installed apps half are rated, the rarer ones better.
class RatedApps final : public AppPopulation {
 public:
  explicit RatedApps(int64_t devices) : AppPopulation(devices) {}

  absl::Status Describe(const std::string&, TaskRequestOptions* request) const override {
    DescribeApps(KeyValueKind::kName, "ratings of apps", request);
    request->max_items = kMostApps;
    request->value_range = "1:5";
    return absl::OkStatus();
  }

 private:
  Record NextDevice() override {
    CountDevice();
    std::vector<KeyValue> held;
    for (size_t k = 0; k < kAppCount; ++k) {
      if (!Installed(k, 2 * Uniform()) || held.size() == kMostApps) continue;
      const double liked = 0.3 + 0.5 * static_cast<double>(k) / kAppCount;
      const double stars = 1 + std::floor(5 * std::pow(Uniform(), 1 / liked - 0.999));
      held.push_back({kApps[k], std::clamp(stars, 1.0, 5.0)});
      CountApp(k, held.back().value);
    }
    return held;
  }
};

}  // namespace

std::unique_ptr<Population> MakeFavouriteApp(int64_t devices) {
  return std::make_unique<FavouriteApp>(devices);
}

std::unique_ptr<Population> MakeInstalledApps(int64_t devices) {
  return std::make_unique<InstalledApps>(devices);
}

std::unique_ptr<Population> MakeRatedApps(int64_t devices) {
  return std::make_unique<RatedApps>(devices);
}

}  // namespace tombola::cli
