// Invariants of our own code. Bytes from outside never reach a TOMBOLA_CHECK: they are refused with
// a status at the door. A failed check prints where and what, and aborts.
#ifndef TOMBOLA_COMMON_BASE_CHECK_H_
#define TOMBOLA_COMMON_BASE_CHECK_H_

#include <cstdio>
#include <cstdlib>

#define TOMBOLA_CHECK(condition)                                                         \
  do {                                                                                   \
    if (!(condition)) [[unlikely]] {                                                     \
      std::fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)

#endif  // TOMBOLA_COMMON_BASE_CHECK_H_
