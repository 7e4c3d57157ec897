#include <sys/resource.h>

#include <algorithm>
#include <limits>

#include "common/base/check.h"
#include "common/disk/descriptor.h"

namespace tombola {

int MostConnectionDescriptors() {
  rlimit files{};
  TOMBOLA_CHECK(getrlimit(RLIMIT_NOFILE, &files) == 0);
  const rlim_t half = files.rlim_cur / 2, reserve = 512;
  return static_cast<int>(
      std::min<rlim_t>(files.rlim_cur - std::min(half, reserve), std::numeric_limits<int>::max()));
}

}  // namespace tombola
