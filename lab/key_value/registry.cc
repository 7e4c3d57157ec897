#include "lab/key_value/registry.h"

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "lab/key_value/collision.h"
#include "lab/key_value/kvoh.h"
#include "lab/key_value/ldpkv.h"
#include "lab/key_value/lrr_kv.h"
#include "lab/key_value/pckv_grr.h"
#include "lab/key_value/pckv_ue.h"
#include "lab/key_value/priv_kv.h"
#include "lab/key_value/rappor_harmony.h"

namespace tombola::lab {
namespace {

template <typename M, auto... kind>
std::unique_ptr<LocalMethod> Make(const Setting& setting) {
  return std::make_unique<M>(setting, kind...);
}

constexpr LocalEntry kMethods[] = {
    {"priv_kv", "PrivKV", "Ye et al. 2019", Make<PrivKv, PrivKvMean::kPublished>},
    {"priv_kv_unbiased", "PrivKV, mean mended", "–", Make<PrivKv, PrivKvMean::kUnbiased>},
    {"ldpkv", "KVUE, LDPKV", "Sun et al. 2019; Zhang et al. 2020", Make<Ldpkv>},
    {"kvoh", "KVOH", "Sun et al. 2019", Make<Kvoh>},
    {"rappor_harmony", "RAPPOR + Harmony", "Erlingsson 2014; Nguyen 2016", Make<RapporHarmony>},
    {"pckv_grr_pair", "PCKV-GRR, pair budget", "as the paper compares",
     Make<PckvGrr, PairBudget::kPair>},
    {"pckv_grr", "PCKV-GRR, tight", "Gu et al. 2020", Make<PckvGrr, PairBudget::kTight>},
    {"pckv_ue", "PCKV-UE", "Gu et al. 2020", Make<PckvUe>},
    {"lrr_kv", "LRR_KV", "Zhang et al. 2021", Make<LrrKv>},
    {"collision", "Collision", "Wang et al. 2023", Make<Collision>},
};

}  // namespace

absl::Span<const LocalEntry> LocalMethods() { return kMethods; }

absl::StatusOr<std::unique_ptr<LocalMethod>> MakeLocal(absl::string_view name,
                                                       const Setting& setting) {
  TOMBOLA_RETURN_IF_ERROR(Validate(setting));
  for (const LocalEntry& entry : kMethods) {
    if (entry.name == name) return entry.make(setting);
  }
  return absl::InvalidArgumentError(absl::StrCat(name, " is no method of the lab"));
}

}  // namespace tombola::lab
