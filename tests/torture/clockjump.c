// Preloaded into a daemon: its wall clock is off by what a shared file says, from one moment to the
// next. CLOCK_MONOTONIC is left alone, and waits until a wall time are turned back into true time,
// so that a jump changes what the daemon reads and not how long it waits. With TORTURE_ASLEEP in
// the environment the time since the machine was started jumps as well, as if it had been asleep:
// then nobody has set a clock.
#define CLOCK_FILE "TORTURE_CLOCK"
#define CLOCK_ASLEEP "TORTURE_ASLEEP"
#include "../../cli/demo/slept_clock.c"
