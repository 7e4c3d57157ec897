// An application that embeds the SDK: reports its arguments' value. See docs/embed.md.
#include <tombola/client.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: consumer SHUFFLER ROOTS TASK VALUE\n";
    return 2;
  }
  tombola::ClientOptions options;
  options.shuffler = argv[1];
  options.roots_file = argv[2];
  options.task_id = argv[3];
  options.policy.max_epsilon = 10;
  options.policy.max_delta = 1e-5;
  options.policy.max_local_epsilon = 12;
  options.policy.min_batch = 2;
  const auto client = tombola::Client::Create(options);
  if (!client.ok()) {
    std::cerr << client.status() << "\n";
    return 1;
  }
  const absl::Status status = (*client)->Report(argv[4]);
  std::cout << status << "\n";
  return status.ok() ? 0 : 1;
}
