#include "cli/simulation/data.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/simulation/distributions.h"
#include "cli/simulation/generator.h"
#include "common/base/status_macros.h"
#include "common/table/domain_size.h"

namespace tombola::simulation {
namespace {

constexpr int64_t kMostUsers = int64_t{1} << 40;

absl::StatusOr<std::vector<double>> WeightsOf(absl::string_view source, int64_t domain) {
  std::vector<double> weights(static_cast<size_t>(domain), 1);
  if (source == "uniform") return weights;
  const double d = static_cast<double>(domain);
  if (source == "normal") {
    // Pr[X < v] of the normal law; the domain is three standard deviations to each side.
    const auto below = [&](double v) {
      return 0.5 * std::erfc(-(v - d / 2) / (d / 6) / std::sqrt(2.0));
    };
    for (size_t v = 0; v < weights.size(); ++v) {
      const double x = static_cast<double>(v);
      weights[v] = below(x + 1) - below(x);
    }
    return weights;
  }
  double exponent;
  if (absl::ConsumePrefix(&source, "zipf:") && absl::SimpleAtod(source, &exponent) &&
      exponent >= 0 && exponent <= 20) {
    for (size_t v = 0; v < weights.size(); ++v) {
      weights[v] = std::pow(static_cast<double>(v + 1), -exponent);
    }
    return weights;
  }
  return absl::InvalidArgumentError(
      "--data must be zipf:S with S from 0 to 20, normal, uniform or file:PATH");
}

absl::StatusOr<Data> DrawData(const DataRequest& request) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<double> weights, Weights(request));
  Generator random(SeedSequence(request.seed).Add("data").Add(request.source).seed());
  return Data{.counts = Multinomial(*request.users, weights, random), .users = *request.users};
}

// Counts values line by line.
class Reader {
 public:
  Reader(absl::string_view name, std::optional<int64_t> domain) : name_(name), domain_(domain) {
    if (domain.has_value()) data_.counts.assign(static_cast<size_t>(*domain), 0);
  }

  absl::Status Add(absl::string_view line) {
    ++data_.users;
    if (line.empty()) return Bad("is empty");
    int64_t number;
    const bool whole = absl::SimpleAtoi(line, &number);
    if (data_.users == 1) numbers_ = whole && domain_.has_value();
    if (!numbers_) return AddName(line);
    if (!whole || number < 0 || number >= *domain_) {
      return Bad(absl::StrCat("must be a whole number from 0 to ", *domain_ - 1));
    }
    ++data_.counts[static_cast<size_t>(number)];
    return absl::OkStatus();
  }

  const Data& data() const { return data_; }

 private:
  absl::Status AddName(absl::string_view line) {
    const auto [entry, added] = names_.try_emplace(line, names_.size());
    const int64_t most = domain_.value_or(mechanism::kLargestDomain);
    if (static_cast<int64_t>(names_.size()) > most) {
      return Bad(absl::StrCat("is one more name than the ", most, " of the domain"));
    }
    if (entry->second == data_.counts.size()) data_.counts.push_back(0);
    ++data_.counts[entry->second];
    return absl::OkStatus();
  }

  absl::Status Bad(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(name_, ": line ", data_.users, " ", what));
  }

  const std::string name_;
  const std::optional<int64_t> domain_;
  Data data_;
  bool numbers_ = false;
  absl::flat_hash_map<std::string, size_t> names_;
};

}  // namespace

absl::StatusOr<Data> ReadValues(std::istream& lines, absl::string_view name,
                                std::optional<int64_t> users, std::optional<int64_t> domain) {
  Reader reader(name, domain);
  std::string line;
  while (reader.data().users < users.value_or(kMostUsers) && std::getline(lines, line)) {
    absl::string_view text = line;
    absl::ConsumeSuffix(&text, "\r");
    TOMBOLA_RETURN_IF_ERROR(reader.Add(text));
  }
  const Data& data = reader.data();
  if (data.users == 0) return absl::InvalidArgumentError(absl::StrCat(name, ": has no lines"));
  if (users.has_value() && data.users < *users) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": has ", data.users, " lines, fewer than --users ", *users, "; leave --users out"));
  }
  if (data.domain() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": has one distinct value; give --domain, at least 2"));
  }
  return data;
}

absl::StatusOr<std::vector<double>> Weights(const DataRequest& request) {
  TOMBOLA_ASSIGN_OR_RETURN(
      std::vector<double> weights,
      WeightsOf(request.source, request.domain.value_or(2)));  // the source is checked first
  if (!request.users.has_value() || !request.domain.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--data ", request.source, " needs --users and --domain"));
  }
  return weights;
}

absl::Status ValidateSizes(const DataRequest& request) {
  if (request.users.has_value() && (*request.users < 1 || *request.users > kMostUsers)) {
    return absl::InvalidArgumentError("--users must be from 1 to 2^40");
  }
  if (request.domain.has_value()) {
    if (const absl::Status valid = mechanism::ValidateDomain(*request.domain); !valid.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--domain must be from 2 to ", mechanism::kLargestDomainText));
    }
  }
  return absl::OkStatus();
}

std::optional<std::string> FileOf(const DataRequest& request) {
  absl::string_view path = request.source;
  if (!absl::ConsumePrefix(&path, "file:")) return std::nullopt;
  return std::string(path);
}

absl::StatusOr<std::ifstream> OpenFile(const std::string& path) {
  std::ifstream file(path);
  std::error_code ignored;
  if (!file || std::filesystem::is_directory(path, ignored)) {
    return absl::InvalidArgumentError(absl::StrCat("--data: cannot read the file ", path));
  }
  return file;
}

absl::StatusOr<Data> MakeData(const DataRequest& request) {
  TOMBOLA_RETURN_IF_ERROR(ValidateSizes(request));
  const std::optional<std::string> path = FileOf(request);
  if (!path.has_value()) return DrawData(request);
  TOMBOLA_ASSIGN_OR_RETURN(std::ifstream file, OpenFile(*path));
  return ReadValues(file, *path, request.users, request.domain);
}

}  // namespace tombola::simulation
