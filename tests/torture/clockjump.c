// Preloaded into a daemon: its wall clock is off by what a shared file says, from one moment to the
// next. CLOCK_MONOTONIC and CLOCK_BOOTTIME are left alone, and waits until a wall time are turned
// back into true time, so that a jump changes what the daemon reads and not how long it waits.
#define CLOCK_FILE "TORTURE_CLOCK"
#include "../../cli/demo/slept_clock.c"
