// File descriptors that connections may have.
#ifndef TOMBOLA_COMMON_DISK_DESCRIPTORS_H_
#define TOMBOLA_COMMON_DISK_DESCRIPTORS_H_

namespace tombola {

// So many of the process's limit (RLIMIT_NOFILE) that 512, or half of it, are left for its files.
int MostConnectionDescriptors();

}  // namespace tombola

#endif  // TOMBOLA_COMMON_DISK_DESCRIPTORS_H_
