// The body of an answer about key-value pairs in the forms that scripts rely on, and the order of
// its rows: as of a set (set.h), with the means.
#ifndef TOMBOLA_COMMON_JSON_KEY_VALUE_H_
#define TOMBOLA_COMMON_JSON_KEY_VALUE_H_

#include <string>
#include <vector>

#include "common/json/rows.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

// `truth` may have means too.
void AppendKeyValuesJson(const v1::KeyValues& pairs, const Truth& truth, std::string* out);
std::string KeyValuesCsv(const v1::KeyValues& pairs, const Truth& truth);
void Sort(BinOrder order, v1::KeyValues& pairs);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_KEY_VALUE_H_
