#include "cli/demo/population.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "absl/strings/str_cat.h"
#include "common/kind/histogram.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/set.h"
#include "common/random/secure_random.h"

namespace tombola::cli {
namespace {

constexpr const char* kApps[] = {"mail",   "maps",  "camera",  "browser", "music",
                                 "chat",   "clock", "photos",  "video",   "weather",
                                 "wallet", "notes", "fitness", "news",    "podcasts",
                                 "radio",  "games", "scanner", "compass", "recorder"};
constexpr size_t kValues = std::size(kApps);
constexpr uint32_t kMostApps = 12;

class SecurePopulation : public Population {
 protected:
  explicit SecurePopulation(int64_t devices) : Population(devices) {}

  double Uniform() final { return static_cast<double>(random_.Next64() >> 11) * 0x1p-53; }

 private:
  SecureRandom random_;
};

void DescribeApps(absl::string_view kind, const char* name, TaskRequestOptions* request) {
  request->kind = std::string(kind);
  request->name = name;
  request->values.assign(std::begin(kApps), std::end(kApps));
}

// The k-th most common value with weight 1/k.
class FavouriteApp final : public SecurePopulation {
 public:
  explicit FavouriteApp(int64_t devices) : SecurePopulation(devices) {
    double sum = 0;
    for (size_t k = 0; k < kValues; ++k) {
      cumulative_.push_back(sum += 1.0 / static_cast<double>(k + 1));
    }
  }

  void Describe(TaskRequestOptions* request) const override {
    DescribeApps(Histogram::kName, "favourite app", request);
  }

 private:
  Record NextDevice() override {
    const auto above =
        std::upper_bound(cumulative_.begin(), cumulative_.end(), Uniform() * cumulative_.back());
    const auto value = std::min(static_cast<size_t>(above - cumulative_.begin()), kValues - 1);
    Count(value);
    return std::string(kApps[value]);
  }

  std::vector<double> cumulative_;
};

// The k-th app is installed with probability 0.9 / (1 + k / 4).
bool Installed(size_t k, double uniform) {
  return uniform < 0.9 / (1 + static_cast<double>(k) / 4);
}

class InstalledApps final : public SecurePopulation {
 public:
  explicit InstalledApps(int64_t devices) : SecurePopulation(devices) {}

  void Describe(TaskRequestOptions* request) const override {
    DescribeApps(Set::kName, "installed apps", request);
    request->max_items = kMostApps;
  }

 private:
  Record NextDevice() override {
    std::vector<std::string> held;
    for (size_t k = 0; k < kValues; ++k) {
      if (!Installed(k, Uniform()) || held.size() == kMostApps) continue;
      Count(k);
      held.emplace_back(kApps[k]);
    }
    return held;
  }
};

// Of the installed apps half are rated, the rarer ones better.
class RatedApps final : public SecurePopulation {
 public:
  explicit RatedApps(int64_t devices) : SecurePopulation(devices) {}

  void Describe(TaskRequestOptions* request) const override {
    DescribeApps(KeyValueKind::kName, "ratings of apps", request);
    request->max_items = kMostApps;
    request->value_range = "1:5";
  }

 private:
  Record NextDevice() override {
    std::vector<KeyValue> held;
    for (size_t k = 0; k < kValues; ++k) {
      if (!Installed(k, 2 * Uniform()) || held.size() == kMostApps) continue;
      const double liked = 0.3 + 0.5 * static_cast<double>(k) / kValues;
      const double stars = 1 + std::floor(5 * std::pow(Uniform(), 1 / liked - 0.999));
      held.push_back({kApps[k], std::clamp(stars, 1.0, 5.0)});
      Count(k, held.back().value);
    }
    return held;
  }
};

// Hours in front of a screen on one day: half of the devices less than three, few of them many.
class ScreenTime final : public SecurePopulation {
 public:
  explicit ScreenTime(int64_t devices) : SecurePopulation(devices) {}

  void Describe(TaskRequestOptions* request) const override {
    request->kind = std::string(NumberKind::kName);
    request->name = "hours of screen time";
    request->value_range = "0:10";
    request->numbers.resolution = kValues;
  }

 private:
  static constexpr double kMost = 10;

  Record NextDevice() override {
    const double uniform = Uniform();
    const double hours = std::min(3 * std::sqrt(uniform / (1 - uniform)), kMost);
    const auto bin = static_cast<size_t>(hours / kMost * kValues);
    Count(std::min(bin, kValues - 1), hours);
    return std::optional<double>(hours);
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<Population>> Population::Create(absl::string_view kind,
                                                               int64_t devices) {
  if (kind == Histogram::kName) return std::make_unique<FavouriteApp>(devices);
  if (kind == Set::kName) return std::make_unique<InstalledApps>(devices);
  if (kind == KeyValueKind::kName) return std::make_unique<RatedApps>(devices);
  if (kind == NumberKind::kName) return std::make_unique<ScreenTime>(devices);
  return absl::InvalidArgumentError(absl::StrCat("--kind must be ", Histogram::kName, ", ",
                                                 Set::kName, ", ", KeyValueKind::kName, " or ",
                                                 NumberKind::kName, ", is ", kind));
}

Population::Population(int64_t devices) : left_(devices), holders_(kValues), sums_(kValues) {}

void Population::Count(size_t value, double number) {
  holders_[value] += 1;
  sums_[value] += number;
}

std::vector<Record> Population::Next(size_t limit) {
  std::vector<Record> records;
  for (; left_ > 0 && records.size() < limit; --left_, ++devices_) {
    records.push_back(NextDevice());
  }
  return records;
}

Truth Population::TruthOfAll() const {
  Truth truth;
  for (size_t k = 0; k < kValues; ++k) {
    truth.frequencies.push_back(holders_[k] / static_cast<double>(devices_));
    truth.means.push_back(holders_[k] > 0 ? sums_[k] / holders_[k] : std::nan(""));
  }
  return truth;
}

}  // namespace tombola::cli
