#include "tests/fuzz/fixtures.h"

#include <cmath>

namespace tombola::fuzz {
namespace {

constexpr uint64_t kHonest = 100;

uint64_t Threshold(double probability) {
  return static_cast<uint64_t>(std::ldexp(probability, 64));
}
uint64_t Rate(double mean) { return static_cast<uint64_t>(std::ldexp(mean, 40)); }

void FillAffine(uint32_t lane_bits, v1::LocalHash* wire) {
  wire->set_family(v1::HASH_FAMILY_AFFINE);
  wire->set_range(16);
  wire->set_blanket_threshold(Threshold(0.4));
  wire->set_lane_bits(lane_bits);
}

void FillDummies(v1::Dummies* wire) {
  wire->set_rate(Rate(1.25));
  wire->set_honest(kHonest);
  wire->set_max(64);
}

// Shapes a little above 1 and 3 on each of 20 values.
void FillCorrelated(v1::Correlated* wire) {
  wire->set_noise_success(Threshold(0.8));
  wire->set_flood_success(Threshold(0.9));
  wire->set_noise_rate(Rate(0.34));
  wire->set_flood_rate(Rate(1.39));
  wire->set_honest(kHonest);
  wire->set_max_noise(400);
}

// The same task for devices that fill `held` cells and say `sent` of them.
v1::Task OfSeveral(v1::Task task, v1::Kind kind, uint32_t held, uint32_t sent) {
  task.set_kind(kind);
  task.mutable_items()->set_max_items(held);
  task.mutable_items()->set_sent(sent);
  if (kind == v1::KIND_KEY_VALUE) {
    task.mutable_levels()->set_low(-1);
    task.mutable_levels()->set_high(1);
    task.mutable_levels()->set_count(3);
  }
  return task;
}

// The same task about texts: two levels of 28^3 prefixes under 64 buckets. Their noise is unset.
v1::Task OfStrings(v1::Task task) {
  task.set_kind(v1::KIND_STRINGS);
  task.clear_mechanism();
  task.mutable_domain()->Clear();
  task.mutable_domain()->set_size(28);
  v1::Strings* const strings = task.mutable_strings();
  strings->set_alphabet("abcdefghijklmnopqrstuvwxyz");
  strings->set_length(6);
  strings->set_step(3);
  strings->set_range(64);
  strings->set_spelling(v1::SPELLING_FOLDED);
  strings->set_unicode("15.0");
  strings->set_least_holders(2);
  return task;
}

}  // namespace

std::vector<v1::Task> TasksOfEveryMechanism() {
  std::vector<v1::Task> tasks(8, TestTaskProto());
  // 0: the plane of the test task, but with a last row that is not full.
  v1::Domain* domain = tasks[0].mutable_domain();
  for (uint64_t i = domain->size(); i < 23; ++i) domain->add_labels(absl::StrCat("v", i));
  domain->set_size(23);
  FillAffine(32, tasks[1].mutable_mechanism()->mutable_local_hash());
  FillAffine(64, tasks[2].mutable_mechanism()->mutable_murs()->mutable_local_hash());
  tasks[2].mutable_mechanism()->mutable_murs()->set_fakes(25);
  tasks[3].mutable_mechanism()->mutable_grr()->set_blanket_threshold(Threshold(0.3));
  v1::Aue* aue = tasks[4].mutable_mechanism()->mutable_aue();
  aue->set_coin_threshold(Threshold(0.05));
  aue->set_honest(kHonest);
  aue->set_max_dummies(20);
  FillDummies(tasks[5].mutable_mechanism()->mutable_pure_dump()->mutable_dummies());
  v1::MixDump* mix_dump = tasks[6].mutable_mechanism()->mutable_mix_dump();
  mix_dump->mutable_response()->set_blanket_threshold(Threshold(0.3));
  FillDummies(mix_dump->mutable_dummies());
  FillCorrelated(tasks[7].mutable_mechanism()->mutable_correlated());
  tasks.push_back(OfSeveral(tasks[5], v1::KIND_SET, 4, 2));
  v1::Task& cancelling = tasks.emplace_back(OfSeveral(tasks[7], v1::KIND_SET, 2, 2));
  // As much noise for each of two cells more.
  cancelling.mutable_mechanism()->mutable_correlated()->set_noise_rate(Rate(0.4));
  cancelling.mutable_mechanism()->mutable_correlated()->set_flood_rate(Rate(1.6));
  tasks.push_back(OfSeveral(tasks[3], v1::KIND_KEY_VALUE, 3, 1));
  tasks.push_back(OfSeveral(tasks[5], v1::KIND_KEY_VALUE, 6, 6));
  const v1::Task texts = OfStrings(TestTaskProto());
  tasks.push_back(texts);
  tasks.back().mutable_strings()->mutable_one_message()->set_blanket_threshold(Threshold(0.4));
  tasks.push_back(texts);
  FillDummies(tasks.back().mutable_strings()->mutable_dummies());
  tasks.push_back(texts);
  FillDummies(tasks.back().mutable_strings()->mutable_every_level());
  return tasks;
}

}  // namespace tombola::fuzz
