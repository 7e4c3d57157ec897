// Links the SDK as an application would, so that the rules can look at what came along.
#include <iostream>

#include "tombola/client.h"

int main() {
  const auto client = tombola::Client::Create({});
  std::cout << client.status() << "\n";
  return client.ok() ? 1 : 0;
}
