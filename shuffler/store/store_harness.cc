#include "shuffler/store/store_harness.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <numeric>

#include "common/base/check.h"
#include "common/base/encoding.h"
#include "tests/support/seeded_random.h"

namespace tombola::shuffler {

TaskId TaskNumber(uint8_t number) {
  TaskId task;
  task.fill(number);
  return task;
}

KeyId KeyNumber(uint8_t number) {
  KeyId key;
  key.fill(number);
  return key;
}

std::string IdOf(uint64_t number) {
  std::string id = "id------";
  PutNumber(number, id);
  return id;
}

std::string ReportOf(uint64_t number) {
  std::string report;
  PutNumber(number, report);
  std::string filler(kSealedBytes - report.size(), '\0');
  SeededRandom random(number);
  random.Fill(absl::MakeSpan(reinterpret_cast<uint8_t*>(filler.data()), filler.size()));
  return report + filler;
}

uint64_t NumberOf(absl::string_view report) { return Decoder(AsBytes(report)).Number<uint64_t>(); }

std::vector<uint64_t> Range(uint64_t first, uint64_t last) {
  std::vector<uint64_t> numbers(last - first + 1);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

absl::StatusOr<std::vector<Outcome>> Submit(Store& store, const Call& call) {
  std::string ids, reports;
  for (const uint64_t number : call.numbers) {
    ids += IdOf(number);
    reports += ReportOf(number);
  }
  std::promise<absl::StatusOr<std::vector<Outcome>>> answer;
  store.Accept({{call.task, call.key, call.part}, call.window, AsBytes(ids), {}, AsBytes(reports)},
               [&](absl::StatusOr<std::vector<Outcome>> outcomes) {
                 answer.set_value(std::move(outcomes));
               });
  return answer.get_future().get();
}

BatchKey OfNode(uint64_t node, const TaskId& task) {
  return {task, KeyNumber(static_cast<uint8_t>(100 + node)), node};
}

uint64_t InNode(uint64_t number, uint64_t node) { return number * 1000 + node; }

std::vector<uint64_t> InNode(const std::vector<uint64_t>& numbers, uint64_t node) {
  std::vector<uint64_t> said;
  said.reserve(numbers.size());
  for (const uint64_t number : numbers) said.push_back(InNode(number, node));
  return said;
}

absl::StatusOr<std::vector<Outcome>> SubmitToPeriod(Store& store, const PeriodCall& call) {
  std::string ids;
  for (const uint64_t number : call.numbers) ids += IdOf(number);
  std::vector<std::string> reports(call.nodes.size());
  SubmitBatch batch = {OfNode(call.period, call.task), call.window, AsBytes(ids), {}, {}};
  for (size_t i = 0; i < call.nodes.size(); ++i) {
    for (const uint64_t number : call.numbers) {
      reports[i] += ReportOf(InNode(number, call.nodes[i]));
    }
    const BatchKey of = OfNode(call.nodes[i], call.task);
    batch.groups.push_back({{of.part, of.key}, {}, AsBytes(reports[i])});
  }
  std::promise<absl::StatusOr<std::vector<Outcome>>> answer;
  store.Accept(batch, [&](auto outcomes) { answer.set_value(std::move(outcomes)); });
  return answer.get_future().get();
}

absl::StatusOr<std::vector<uint64_t>> NumbersIn(const Store& store, const BatchId& batch) {
  auto reader = store.Read(batch);
  if (!reader.ok()) return reader.status();
  std::vector<uint64_t> numbers;
  while (true) {
    const auto chunk = (*reader)->Next(7 * kSealedBytes + 5);
    if (!chunk.ok()) return chunk.status();
    if (chunk->empty()) return numbers;
    TOMBOLA_CHECK(chunk->size() % kSealedBytes == 0);
    for (auto rest = *chunk; !rest.empty(); rest.remove_prefix(kSealedBytes)) {
      const absl::string_view report = AsView(rest.first(kSealedBytes));
      numbers.push_back(NumberOf(report));
      EXPECT_EQ(std::string(report), ReportOf(numbers.back()));
    }
  }
}

std::string BytesIn(const Store& store, const BatchId& batch) {
  auto reader = store.Read(batch);
  TOMBOLA_CHECK(reader.ok());
  const auto chunk = (*reader)->Next(int64_t{1} << 30);
  TOMBOLA_CHECK(chunk.ok());
  return std::string(AsView(*chunk));
}

std::map<std::string, std::string> FilesIn(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[std::filesystem::relative(entry.path(), directory).string()] =
        std::string(std::istreambuf_iterator<char>(in), {});
  }
  return files;
}

std::multiset<uint64_t> NumbersInOutbox(const Store& store) {
  std::multiset<uint64_t> numbers;
  for (const Manifest& batch : store.Outbox()) {
    const auto in_batch = NumbersIn(store, batch.batch);
    EXPECT_TRUE(in_batch.ok()) << in_batch.status();
    if (in_batch.ok()) numbers.insert(in_batch->begin(), in_batch->end());
  }
  return numbers;
}

int64_t HeldSubmissions(const Store& store) {
  int64_t submissions = 0;
  for (const HeldInfo& held : store.Held()) submissions += held.submissions;
  return submissions;
}

}  // namespace tombola::shuffler
