// What the survey of local privacy says of ways to find strings, beside what was found.
#ifndef TOMBOLA_LAB_PAGE_STRING_CLAIMS_H_
#define TOMBOLA_LAB_PAGE_STRING_CLAIMS_H_

#include <string>
#include <vector>

#include "lab/experiment/string_study.h"

namespace tombola::lab {

struct JudgedStrings {
  std::string claim;
  std::string verdict;  // as Verdict of claims.h
  std::string found;
};
// All claims, in the survey's order.
std::vector<JudgedStrings> JudgeStringClaims(const StringStudy& study);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_PAGE_STRING_CLAIMS_H_
