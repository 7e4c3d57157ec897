#include "collector/monitor/call_counters.h"

namespace tombola::collector {
namespace {

constexpr char kName[] = "tombola_collector_calls_total";
constexpr char kHelp[] = "Calls over gRPC that were answered, by method and code.";
constexpr char kOther[] = "other";

}  // namespace

CallCounters::CallCounters(Metrics& metrics) : metrics_(metrics) {
  for (const char* method :
       {"GetCatalog", "ReportProgress", "DeliverBatch", "ListTasks", "GetTask", "GetAnswer",
        "ListKeys", "CreateTask", "CloseTask", "RotateKeys", "DestroyKey", "GetMetrics", kOther}) {
    ok_[method] = &metrics.Counter(kName, kHelp, {{"rpc", method}, {"code", "OK"}});
  }
}

void CallCounters::Count(absl::string_view method, absl::string_view code) {
  auto known = ok_.find(method);
  if (known == ok_.end()) known = ok_.find(kOther);
  if (code == "OK") {
    known->second->Increment();
    return;
  }
  metrics_.Counter(kName, kHelp, {{"rpc", known->first}, {"code", std::string(code)}}).Increment();
}

}  // namespace tombola::collector
