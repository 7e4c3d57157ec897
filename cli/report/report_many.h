// Many simulated devices through the SDK.
#ifndef TOMBOLA_CLI_REPORT_REPORT_MANY_H_
#define TOMBOLA_CLI_REPORT_REPORT_MANY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/report/line_reader.h"
#include "cli/terminal/progress.h"
#include "tombola/client.h"

namespace tombola::cli {

// Of lines that were not sent, so many are told one by one.
inline constexpr size_t kMostComplaints = 10;

// A line that is not sent, and why.
struct Complaint {
  int64_t line = 0;  // the first is 1
  std::string why;
};

// One record a device.
struct Devices {
  std::vector<Record> values;
  std::vector<int64_t> lines;  // where each record stands in a file; none: nowhere
};

// Gives the next devices, at most `limit` of them; none at the end. Called by one thread at a time.
using NextDevices = std::function<Devices(size_t limit)>;

struct ManyOutcome {
  int64_t accepted = 0;
  int64_t duplicates = 0;
  int64_t rejected = 0;
  // Of the first kMostComplaints lines that are outside the domain, ascending.
  std::vector<Complaint> outside;
};

using Clients = std::vector<std::unique_ptr<Client>>;

// So many clients of one task, with a channel each. The errors are those of Client::Create.
absl::StatusOr<Clients> CreateClients(const ClientOptions& options, int number);

// Every device reports once, over the clients with a thread each. `outcome` tells what became of
// them, also when a call fails for good.
absl::Status ReportMany(const Clients& clients, const NextDevices& next, Progress* progress,
                        ManyOutcome* outcome);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_REPORT_REPORT_MANY_H_
