// Preloaded into the demonstration and its daemons: they see the time as if the machine had slept
// between whatever is done, for as long as the demonstration says. A machine that sleeps is nothing
// new to them: CLOCK_REALTIME and CLOCK_BOOTTIME are ahead by the sleep, CLOCK_MONOTONIC and so
// every timeout go on as they were, and what waits for a wall time that was slept through goes on
// at once.
//
// tests/torture/clockjump.c is the same with a file instead, and for a wall clock that is set as
// well: CLOCK_BOOTTIME then stays.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#ifdef CLOCK_FILE
static int open_clock(void) {
  const char* file = getenv(CLOCK_FILE);
  return file == NULL ? -1 : open(file, O_RDONLY | O_CLOEXEC);
}
static int is_asleep(void) { return getenv(CLOCK_ASLEEP) != NULL; }
static const char* const variable = CLOCK_FILE;
#else
// That the demonstration has opened: nobody else can write to it.
static int open_clock(void) {
  const char* descriptor = getenv("TOMBOLA_DEMO_CLOCK");
  return descriptor == NULL ? -1 : dup(atoi(descriptor));
}
static int is_asleep(void) { return 1; }
static const char* const variable = "TOMBOLA_DEMO_CLOCK";
#endif

static const volatile int64_t* offset;  // seconds; NULL: none
static int asleep;

__attribute__((constructor)) static void start(void) {
  if (getenv(variable) == NULL) return;
  const int fd = open_clock();
  void* memory = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) {
    fprintf(stderr, "cannot map the clock of %s\n", variable);
    _exit(70);
  }
  close(fd);
  offset = memory;
  asleep = is_asleep();
}

static int64_t jump(void) { return offset == NULL ? 0 : *offset; }

static int is_wall(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  static int (*real)(clockid_t, struct timespec*);
  if (real == NULL) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  const int result = real(clock, time);
  if (result == 0 && (is_wall(clock) || (asleep && clock == CLOCK_BOOTTIME))) {
    time->tv_sec += jump();
  }
  return result;
}

int gettimeofday(struct timeval* restrict time, void* restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != NULL) *out = now.tv_sec;
  return now.tv_sec;
}

static struct timespec true_time(const struct timespec* deadline) {
  struct timespec result = *deadline;
  // A condition may have been told to wait by CLOCK_MONOTONIC, which is far from any wall time.
  if (result.tv_sec > 1000000000) result.tv_sec -= jump();
  return result;
}

// Abseil waits for a wall time with the futex call itself.
long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a[6];
  for (int i = 0; i < 6; ++i) a[i] = va_arg(list, long);
  va_end(list);
  struct timespec deadline;
  if (number == SYS_futex && (a[1] & FUTEX_CLOCK_REALTIME) != 0 && a[3] != 0) {
    deadline = true_time((const struct timespec*)a[3]);
    a[3] = (long)&deadline;
  }
  static long (*real)(long, ...);
  if (real == NULL) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

// Conditions in these programs wait by the wall clock here, or by pthread_cond_clockwait.
int pthread_cond_timedwait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex,
                           const struct timespec* restrict deadline) {
  static int (*real)(pthread_cond_t*, pthread_mutex_t*, const struct timespec*);
  if (real == NULL) {
    real = (int (*)(pthread_cond_t*, pthread_mutex_t*, const struct timespec*))dlvsym(
        RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  }
  const struct timespec moved = true_time(deadline);
  return real(condition, mutex, &moved);
}

int pthread_cond_clockwait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex,
                           clockid_t clock, const struct timespec* restrict deadline) {
  static int (*real)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
  if (real == NULL) {
    real = (int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*))dlsym(
        RTLD_NEXT, "pthread_cond_clockwait");
  }
  if (!is_wall(clock)) return real(condition, mutex, clock, deadline);
  const struct timespec moved = true_time(deadline);
  return real(condition, mutex, clock, &moved);
}
