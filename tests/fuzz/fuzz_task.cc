// The bytes of a task, as every party gets them: refused, or within every bound that the other
// rooms rely on.
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/crypto/hpke_suite.h"
#include "common/crypto/sha256.h"
#include "common/mechanism/registry.h"
#include "common/task/task.h"
#include "tests/fuzz/input.h"
#include "tests/support/seeded_random.h"

namespace tombola::fuzz {
namespace {

void CheckDomain(const Domain& domain) {
  TOMBOLA_CHECK(domain.size() >= 2 && domain.size() <= int64_t{1} << 24);
  TOMBOLA_CHECK(domain.labels().empty() ||
                static_cast<int64_t>(domain.labels().size()) == domain.size());
  const auto last = static_cast<uint64_t>(domain.size() - 1);
  TOMBOLA_CHECK(domain.Find(domain.NameOf(last)) == last);
  TOMBOLA_CHECK(domain.Find(domain.NameOf(0)) == 0u);
  TOMBOLA_CHECK(!domain.other().has_value() || *domain.other() <= last);
}

void CheckPolicy(const Task& task) {
  const BatchPolicy& policy = task.batch_policy();
  TOMBOLA_CHECK(policy.smallest_batch >= 2 && policy.smallest_batch <= policy.planned_submissions);
  TOMBOLA_CHECK(policy.dishonest_share >= 0 && policy.dishonest_share < 1);
  const int64_t honest = task.Honest(policy.planned_submissions);
  TOMBOLA_CHECK(honest >= 0 && honest <= policy.planned_submissions);
  TOMBOLA_CHECK(task.not_before() < task.not_after());
  // The store's files have 32 bits for a window, and the door lets the next one in.
  TOMBOLA_CHECK(task.WindowAt(task.not_after()) < std::numeric_limits<uint32_t>::max());
  TOMBOLA_CHECK(task.WindowAt(task.not_before()) == 0);
}

void CheckMechanism(const mechanism::Mechanism& mechanism) {
  TOMBOLA_CHECK(mechanism.max_reports_per_submission() >= 1 &&
                mechanism.max_reports_per_submission() <= 65535);
  TOMBOLA_CHECK(mechanism.fakes() >= 0);
  TOMBOLA_CHECK(mechanism.local_epsilon() > 0);
  const double expected = mechanism.expected_reports_per_submission();
  TOMBOLA_CHECK(expected >= 1 && std::isfinite(expected));
  TOMBOLA_CHECK(mechanism.PredictedMse(2) >= 0);
  std::string fake(mechanism.report_bytes(), '\0');
  SeededRandom random(1);
  mechanism.DrawFake(random, absl::MakeSpan(reinterpret_cast<uint8_t*>(fake.data()), fake.size()));
  if (mechanism.layout() == mechanism::Layout::kString) return;  // strings say it themselves
  v1::Mechanism wire, again;
  mechanism::ToProto(mechanism, &wire);
  std::vector<int64_t> levels;
  int64_t first = 0;
  for (const mechanism::ModelledCells& cells : mechanism.count_models()) {
    levels.push_back(cells.end - first);
    first = cells.end;
  }
  const auto made =
      mechanism::FromProto(wire, mechanism.domain_size(), mechanism.filling(), levels);
  TOMBOLA_CHECK(made.ok());
  mechanism::ToProto(**made, &again);
  TOMBOLA_CHECK(wire.SerializeAsString() == again.SerializeAsString());
}

void Run(const std::string& bytes) {
  const auto task = Task::Parse(bytes);
  if (!task.ok()) {
    // Or of another version of Unicode.
    TOMBOLA_CHECK(absl::IsInvalidArgument(task.status()) ||
                  absl::IsFailedPrecondition(task.status()));
    return;
  }
  TOMBOLA_CHECK((*task)->bytes() == bytes);
  TOMBOLA_CHECK((*task)->id() == crypto::Sha256(bytes));
  TOMBOLA_CHECK((*task)->target().epsilon > 0 && (*task)->target().delta > 0);
  TOMBOLA_CHECK((*task)->sealed_bytes() ==
                (*task)->scheme()->report_bytes() + crypto::kHpkeOverhead);
  TOMBOLA_CHECK((*task)->submissions_per_device() >= 1);
  CheckDomain((*task)->domain());
  CheckPolicy(**task);
  // The scheme of a histogram is its mechanism.
  CheckMechanism(dynamic_cast<const mechanism::Mechanism&>(*(*task)->scheme()));
}

}  // namespace
}  // namespace tombola::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tombola::fuzz::Run(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
