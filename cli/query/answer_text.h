// What every answer says, for people.
#ifndef TOMBOLA_CLI_QUERY_ANSWER_TEXT_H_
#define TOMBOLA_CLI_QUERY_ANSWER_TEXT_H_

#include <string>
#include <vector>

#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// How much was counted and dropped, and what the answer guarantees, in plain words.
std::string DescribeGuarantee(const v1::Answer& answer);

// What the answer says about its devices: what was rejected and why, how far dishonest ones could
// have moved a bin, and the warnings.
std::string DescribeQuality(const v1::Answer& answer);

// Which tasks are before and after it; empty where there are none.
std::string DescribeLineage(const v1::Answer& answer);

// The same for the foot of a chart, each a line without its end: the task, the periods, the
// guarantee, what is left if the shuffler colludes, and the warnings.
std::vector<std::string> EnvelopeNotes(const v1::Answer& answer);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_ANSWER_TEXT_H_
