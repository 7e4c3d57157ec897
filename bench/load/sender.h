// Sends what was sealed before, as fast as it is taken or at a given rate.
#ifndef TOMBOLA_BENCH_LOAD_SENDER_H_
#define TOMBOLA_BENCH_LOAD_SENDER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "bench/load/latencies.h"
#include "bench/load/sealed_load.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola::bench {

struct SendOptions {
  TaskId task{};         // whose the submissions are said to be; the shuffler cannot tell
  uint64_t window = 0;   // the task's retry window
  int64_t first = 0;     // of the load's submissions
  int64_t count = 0;     // how many of them
  int64_t per_call = 1;  // submissions a call
  int in_flight = 256;   // calls at once, unless `rate` is given
  double rate = 0;       // calls a second, each at its due time however many are in flight; 0: none
};

struct SendResult {
  absl::Duration took;  // from the first call to the last answer
  int64_t calls = 0;
  int64_t accepted = 0;  // submissions
  int64_t duplicates = 0;
  int64_t rejected = 0;
  std::map<std::string, int64_t> refused;  // calls that failed, by status and text
  Latencies latencies;  // of the calls that succeeded; at a rate, from when a call was due
};

// Uses one completion queue and one thread a channel. No call is repeated. Every channel is
// connected before the first call is sent.
SendResult Send(const SealedLoad& load, const SendOptions& options,
                const std::vector<std::shared_ptr<grpc::Channel>>& channels);

}  // namespace tombola::bench

#endif  // TOMBOLA_BENCH_LOAD_SENDER_H_
