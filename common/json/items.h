// The bodies of answers about sets and key-value pairs in the forms that scripts rely on, and the
// order of their rows. As of a histogram (histogram.h), with `sizes` and `full`, and of key-value
// pairs the means.
#ifndef TOMBOLA_COMMON_JSON_ITEMS_H_
#define TOMBOLA_COMMON_JSON_ITEMS_H_

#include <string>
#include <vector>

#include "common/json/rows.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

void AppendSetJson(const v1::Set& set, const std::vector<double>& truth, std::string* out);
std::string SetCsv(const v1::Set& set, const std::vector<double>& truth);
void Sort(BinOrder order, v1::Set& set);

// `truth` may have means too.
void AppendKeyValuesJson(const v1::KeyValues& pairs, const Truth& truth, std::string* out);
std::string KeyValuesCsv(const v1::KeyValues& pairs, const std::vector<double>& truth);
void Sort(BinOrder order, v1::KeyValues& pairs);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_ITEMS_H_
