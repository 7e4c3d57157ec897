#include "lab/joins/join_registry.h"

#include <utility>

#include "common/base/status_macros.h"
#include "lab/joins/counted.h"
#include "lab/joins/grid.h"
#include "lab/joins/join_tree.h"
#include "lab/joins/linked.h"
#include "lab/joins/one_tuple.h"
#include "lab/joins/shuffled_oracle.h"

namespace tombola::lab {
namespace {

// Of LPRR-JOIN-E: devices that only help to find tau.
constexpr double kPilot = 0.2;

template <typename M>
MadeJoin OwnedJoin(M method, double local_epsilon, double messages = 1) {
  return {std::make_unique<const M>(std::move(method)), local_epsilon, messages};
}

OracleFor Always(const Oracle& oracle) {
  return [oracle](double) { return oracle; };
}

MadeJoin LocalScJoin(const JoinSetting& setting) {
  if (setting.tau != 1) return {};
  return OwnedJoin(LinkedJoin(setting, Linked::kScJoin), setting.epsilon);
}

template <Linked kind>
MadeJoin LocalLinked(const JoinSetting& setting) {
  return OwnedJoin(LinkedJoin(setting, kind), setting.epsilon);
}

MadeJoin LprrT(const JoinSetting& setting) {
  return OwnedJoin(LinkedJoin(setting, Linked::kLprrJoin), std::numeric_limits<double>::infinity());
}

MadeJoin LprrE(const JoinSetting& setting) {
  return OwnedJoin(LinkedJoin(setting, Linked::kLprrJoin, 1 - kPilot),
                   std::numeric_limits<double>::infinity());
}

template <Views views>
MadeJoin LocalViews(const JoinSetting& setting) {
  return OwnedJoin(OneTuple(setting, views, PublishedOracle(setting.epsilon)), setting.epsilon);
}

template <Views views>
absl::StatusOr<MadeJoin> ShuffledViews(const JoinSetting& setting, const Shuffling& shuffling) {
  const ShuffledOracle& hash = shuffling.hash;
  return OwnedJoin(OneTuple(setting, views, Always(hash.oracle)), hash.local_epsilon);
}

double ItemsOf(const JoinSetting& setting) {
  double cells = 1;
  for (int i = 0; i < setting.asked; ++i) cells *= setting.places[i];
  return 2 * cells + 1;
}

MadeJoin LocalFlat(const JoinSetting& setting) {
  return OwnedJoin(OneTuple(setting, Views::kFlat, Always(Grr(ItemsOf(setting), setting.epsilon))),
                   setting.epsilon);
}

absl::StatusOr<MadeJoin> ShuffledFlat(const JoinSetting& setting, const Shuffling& shuffling) {
  TOMBOLA_ASSIGN_OR_RETURN(const ShuffledOracle grr,
                           ShuffledGrr(ItemsOf(setting), shuffling.target));
  return OwnedJoin(OneTuple(setting, Views::kFlat, Always(grr.oracle)), grr.local_epsilon);
}

MadeJoin LocalGrid(const JoinSetting& setting) {
  const double noise = PublishedGridNoise(setting.epsilon, static_cast<double>(setting.users));
  return OwnedJoin(JoinGrid(setting, noise, BestOracle(setting.epsilon)), setting.epsilon);
}

absl::StatusOr<MadeJoin> ShuffledGrid(const JoinSetting& setting, const Shuffling& shuffling) {
  const ShuffledOracle& hash = shuffling.hash;
  const double noise = RareVariance(hash.oracle) / static_cast<double>(setting.users);
  return OwnedJoin(JoinGrid(setting, noise, Always(hash.oracle)), hash.local_epsilon);
}

MadeJoin LocalTreeJoin(const JoinSetting& setting) {
  if (setting.asked != 1) return {};
  return OwnedJoin(LocalTree(setting, BestOracle(setting.epsilon)), setting.epsilon);
}

absl::StatusOr<MadeJoin> ShuffledTree(const JoinSetting& setting, const Shuffling& shuffling) {
  if (setting.asked != 1) return MadeJoin{};
  const ShuffledOracle& hash = shuffling.hash;
  return OwnedJoin(LocalTree(setting, Always(hash.oracle)), hash.local_epsilon);
}

MadeJoin NoLocalJoin(const JoinSetting&) { return {}; }

// Shared noise leaves nothing if the shuffler colludes.
absl::StatusOr<MadeJoin> ShuffledOwn(const JoinSetting& setting, const Shuffling& shuffling) {
  TOMBOLA_ASSIGN_OR_RETURN(OwnJoin own, PlanOwnJoin(setting, shuffling.target.delta));
  return OwnedJoin(std::move(own.method), std::numeric_limits<double>::infinity(), own.messages);
}

MadeJoin LocalCentral(const JoinSetting& setting) {
  return OwnedJoin(CentralJoin(setting), std::numeric_limits<double>::infinity(), 0);
}

absl::StatusOr<MadeJoin> ShuffledCentral(const JoinSetting& setting, const Shuffling&) {
  return LocalCentral(setting);
}

constexpr JoinEntry kJoinMethods[] = {
    {"sc_join", "SC-JOIN", "Xu et al. 2020", true, LocalScJoin},
    {"hio_join", "HIO-JOIN", "Xu et al. 2020", true, LocalLinked<Linked::kHioJoin>},
    {"hio_join_rdc", "HIO-JOIN-RDC", "Xu et al. 2020", true, LocalLinked<Linked::kHioJoinRdc>},
    {"lprr_t", "LPRR-JOIN-T", "Zhang et al. 2024", false, LprrT},
    {"lprr_e", "LPRR-JOIN-E", "Zhang et al. 2024", false, LprrE},
    {"hio", "HIO, local join", "Wang et al. 2019", true, LocalViews<Views::kHierarchy>,
     ShuffledViews<Views::kHierarchy>},
    {"hio_rdc", "HIO with RDC, local join", "Xu et al. 2020", true,
     LocalViews<Views::kSignedHierarchy>, ShuffledViews<Views::kSignedHierarchy>},
    {"flat_grr", "flat GRR, local join", "Kairouz et al. 2016", true, LocalFlat, ShuffledFlat},
    {"grid", "grid, local join", "Yang et al. 2020", true, LocalGrid, ShuffledGrid},
    {"local_tree", "tree with least squares, local join", "–", true, LocalTreeJoin, ShuffledTree},
    {"own", "pure_dump, all tuples (Tombola)", "–", true, NoLocalJoin, ShuffledOwn},
    {"laplace", "Laplace (central), best τ", "–", true, LocalCentral, ShuffledCentral},
};

}  // namespace

absl::Span<const JoinEntry> JoinMethods() { return kJoinMethods; }

}  // namespace tombola::lab
