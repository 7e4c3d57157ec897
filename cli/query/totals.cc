#include "cli/query/totals.h"

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/connect/connection.h"
#include "cli/connect/named_task.h"
#include "cli/terminal/out_file.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/json/totals.h"

namespace tombola::cli {
namespace {

constexpr int kDigits = 4;

absl::Status CheckFlags(const QueryOptions& options) {
  if (options.participants && options.rejected) {
    return absl::InvalidArgumentError("one of --participants and --rejected, not both");
  }
  const bool of_answers =
      options.top.has_value() || !options.values.empty() || !options.where.empty() ||
      !options.quantile.empty() || options.bins.has_value() || !options.measure.empty() ||
      !options.by.empty() || options.independence || !options.schema.empty() ||
      !options.postprocess.empty() || !options.since.empty() || !options.until.empty() ||
      options.at > 0 || options.series || options.single || !options.sort.empty() ||
      !options.truth.empty() || options.wait || options.format == "svg";
  if (!of_answers) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--participants and --rejected go with --period, --confidence, --format table, csv or json, "
      "and --out");
}

std::string TextOf(const QueryOptions& options, const v1::Totals& totals) {
  if (options.format == "json") return absl::StrCat(tombola::ToText(TotalsJson(totals)), "\n");
  if (options.format == "csv") return TotalsCsv(totals);
  return TotalsTable(totals, options.confidence);
}

}  // namespace

std::string DescribeTotals(const v1::TotalsInfo& info) {
  if (!info.trouble().empty()) return absl::StrCat("! ", info.trouble(), "\n");
  std::string text = absl::StrFormat(
      "%s: all totals together hide whether %s took part, with epsilon %s, delta %s",
      tombola::NameOf(info.of()),
      info.submissions_per_device() == 1
          ? std::string("a device")
          : absl::StrCat("a device, with all of its up to ", info.submissions_per_device(),
                         " submissions,"),
      RoundedUp(info.epsilon(), kDigits), RoundedUp(info.delta(), kDigits));
  if (info.submissions_per_device() > 1) {
    absl::StrAppend(&text, "; one submission with epsilon ",
                    RoundedUp(info.submission_epsilon(), kDigits));
  }
  absl::StrAppendFormat(
      &text, ".\nstructure %s, standard error %.4g on average; %d of %d periods published%s.\n",
      info.structure(), std::sqrt(info.mean_variance()), info.published(), info.periods(),
      info.ended() ? ", and no more to come" : "");
  return text;
}

std::string TotalsTable(const v1::Totals& totals, double confidence) {
  std::string text = absl::StrFormat("%7s %14s %10s %12s\n", "period", "total", "stderr",
                                     absl::StrCat("±", PercentText(confidence, 4), "%"));
  for (int i = 0; i < totals.totals_size(); ++i) {
    absl::StrAppendFormat(&text, "%7d %14d %10.4g %11d\n",
                          totals.first() + static_cast<uint64_t>(i), totals.totals(i),
                          totals.standard_errors(i), (totals.high(i) - totals.low(i)) / 2);
  }
  return absl::StrCat(text, "\n", DescribeTotals(totals.info()));
}

absl::Status RunTotals(const QueryOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(CheckFlags(options));
  if (!options.out.empty()) TOMBOLA_RETURN_IF_ERROR(CheckOut(options.out));
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Analyst(config));
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, FindTask(config, "--task", options.task));
  v1::GetTotalsRequest request;
  request.set_task_id(std::string(AsView(id)));
  request.set_of(options.participants ? v1::TOTALS_QUANTITY_PARTICIPANTS
                                      : v1::TOTALS_QUANTITY_REJECTED);
  request.set_confidence(options.confidence);
  request.set_first_period(options.period);
  request.set_last_period(options.period);
  TOMBOLA_ASSIGN_OR_RETURN(const v1::Totals totals,
                           Call(*stub, &v1::CollectorQuery::Stub::GetTotals, request));
  const std::string text = TextOf(options, totals);
  if (!options.out.empty()) return WriteOut(options.out, text);
  std::cout << text;
  // Rows alone have no place for it.
  if (options.format == "csv") std::cerr << DescribeTotals(totals.info());
  return absl::OkStatus();
}

}  // namespace tombola::cli
