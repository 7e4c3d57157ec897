#include "cli/demo/screen_time.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "cli/query/number.h"
#include "common/kind/number.h"

namespace tombola::cli {
namespace {

class ScreenTime final : public Population {
 public:
  explicit ScreenTime(int64_t devices) : Population(devices) {}

  absl::Status Describe(const std::string&, TaskRequestOptions* request) const override {
    request->kind = std::string(NumberKind::kName);
    request->name = "hours of screen time";
    request->value_range = "0:10";
    request->numbers.resolution = kHourBins;
    return absl::OkStatus();
  }

  Truth TruthOf(const v1::Answer& answer, const Task& task) const override {
    std::vector<double> sorted = hours_;
    std::sort(sorted.begin(), sorted.end());
    return TruthOfNumbers(answer.number(), task, sorted);
  }

 private:
  static constexpr double kMostHours = 10;
  static constexpr uint64_t kHourBins = 20;

  Record NextDevice() override {
    const double uniform = Uniform();
    hours_.push_back(std::min(3 * std::sqrt(uniform / (1 - uniform)), kMostHours));
    return std::optional<double>(hours_.back());
  }

  std::vector<double> hours_;  // of every device
};

}  // namespace

std::unique_ptr<Population> MakeScreenTime(int64_t devices) {
  return std::make_unique<ScreenTime>(devices);
}

}  // namespace tombola::cli
