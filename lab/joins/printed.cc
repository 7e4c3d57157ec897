#include "lab/joins/printed.h"

#include <cmath>

namespace tombola::lab {

double PrintedJoin::rows() const {
  return 1 + (tables - 2) * users + std::pow(users, tables - 2) * tau;
}

double PrintedJoin::joined() const { return std::pow(users, tables - 1) * tau; }

// OLH's variance at its best range is that of OUE.
double PrintedJoin::least_nmse() const {
  const double odds = std::exp(row_epsilon()), less = std::expm1(row_epsilon());
  return std::pow(4 * odds / (less * less), tables) / joined();
}

double PrintedTau(const PrintedJoin& join, double gamma) {
  return 0.25 * join.attributes * std::pow(join.height, 2 * join.attributes) * std::log(1 / gamma) *
         std::pow(join.users, 1 - join.tables);
}

}  // namespace tombola::lab
