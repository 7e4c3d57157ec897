// A stream's totals for people, in a terminal.
#ifndef TOMBOLA_CLI_QUERY_STREAM_TABLE_H_
#define TOMBOLA_CLI_QUERY_STREAM_TABLE_H_

#include <string>
#include <vector>

#include "common/stream/structure.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

struct StreamTable {
  int columns = 80;          // of the terminal
  double confidence = 0.95;  // named in the heading
  // Of the shares of one total, row by row, if it is known.
  std::vector<double> truth = {};
};

// One total: a line a value, with its share and its count, each with the half-width of its
// interval. Several: a line a value with its share and count in the last total, and its share over
// time as a line of eight heights; then a line for each of at most 24 totals with its submissions,
// those marked that have strange periods.
std::string DrawStream(const v1::StreamTotals& totals, const StreamTable& table);

// What the totals lack, in sentences, with what was counted in one line: void nodes, and periods
// that are missing or strange in the last of them, or in each where they are single periods.
// Missing ones are lost unless a node of the structure that is later than the total and not known
// to be void covers them.
std::string DescribeStream(const v1::StreamTotals& totals, const stream::Structure& structure);

// What tables of several totals share: "2 to 9"; at most 24 of them, evenly, the last among them;
// and the lines below them, where some were `marked` for strange periods or left out.
std::string PeriodsText(const v1::StreamTotal& total);
std::vector<int> ShownTotals(const v1::StreamTotals& totals);
std::string ShownText(const v1::StreamTotals& totals, bool marked);

// "3, 7 to 9".
std::string RunsText(const google::protobuf::RepeatedPtrField<v1::PeriodRun>& runs);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_STREAM_TABLE_H_
