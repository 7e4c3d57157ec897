// The data sets of the lab's pages.
#ifndef TOMBOLA_LAB_EXPERIMENT_DATA_SETS_H_
#define TOMBOLA_LAB_EXPERIMENT_DATA_SETS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lab/experiment/study.h"

namespace tombola::lab {

// GAUSS, LNR and SPARSE with so many users, the stand-ins of TalkingData and JData, and, if
// `folder` is not empty, the clothing data in it.
std::vector<DataSet> KeyValueDataSets(const std::string& folder, int64_t users, uint64_t seed);

// SPARSE without its values, and, if `folder` is not empty, BMS WebView and Kosarak in it.
std::vector<DataSet> SetDataSets(const std::string& folder, int64_t users, uint64_t seed);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_EXPERIMENT_DATA_SETS_H_
