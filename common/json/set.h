// The body of a set's answer in the forms that scripts rely on, and the order of its rows: as of a
// histogram (histogram.h), with `sizes` and `full`.
#ifndef TOMBOLA_COMMON_JSON_SET_H_
#define TOMBOLA_COMMON_JSON_SET_H_

#include <string>
#include <vector>

#include "common/json/rows.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

void AppendSetJson(const v1::Set& set, const std::vector<double>& truth, std::string* out);
std::string SetCsv(const v1::Set& set, const std::vector<double>& truth);
void Sort(BinOrder order, v1::Set& set);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_SET_H_
