// What `tombola query` was asked for.
#ifndef TOMBOLA_CLI_QUERY_OPTIONS_H_
#define TOMBOLA_CLI_QUERY_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tombola::cli {

struct QueryOptions {
  std::string config;
  std::string task;
  std::optional<uint64_t> top;
  std::vector<std::string> values;
  // Of numbers and records: conditions, and fractions of quantiles; of numbers how many bins.
  std::vector<std::string> where;
  std::string quantile;
  std::optional<uint64_t> bins;
  // Of records: the measure that is added up, and up to two attributes.
  std::string measure;
  std::vector<std::string> by;
  bool independence = false;
  std::string schema;  // of records: whose tables the lines of `truth` are joined with
  // Of strings: a file with those that are looked up, and how likely one is shown that nobody
  // holds.
  std::string dictionary;
  std::optional<double> false_strings;
  std::string postprocess;  // empty: what is usual for the task's kind
  double confidence = 0.95;
  uint64_t period = 0;       // 0: all
  std::string since, until;  // as ParseMoment reads them, or both numbers of periods
  // Of streams: the total of all periods up to this one, 0: no; and a total for each period, each
  // from the first on or, with `single`, alone.
  uint64_t at = 0;
  bool series = false, single = false;
  // Instead of the answer: trusted totals.
  bool participants = false, rejected = false;
  std::string sort;
  std::string truth;
  std::string format = "table";
  bool wait = false;
  bool describe = false;  // of csv: what it is of, in lines before the rows
  bool lineage = false;   // the answers of the tasks before and after it too
  std::string out;

  // For people: the bins that are worth showing. Else all of them.
  bool drawn() const { return format == "table" || format == "svg"; }
};

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_OPTIONS_H_
