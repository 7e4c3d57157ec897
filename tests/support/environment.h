// A variable of the environment for as long as a test wants it.
#ifndef TOMBOLA_TESTS_SUPPORT_ENVIRONMENT_H_
#define TOMBOLA_TESTS_SUPPORT_ENVIRONMENT_H_

#include <cstdlib>
#include <string>
#include <utility>

namespace tombola {

// Sets it, and unsets it at the end. Only where no other thread reads the environment.
class EnvironmentVariable {
 public:
  EnvironmentVariable(std::string name, const std::string& value) : name_(std::move(name)) {
    setenv(name_.c_str(), value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): by contract
  }
  ~EnvironmentVariable() {
    unsetenv(name_.c_str());  // NOLINT(concurrency-mt-unsafe): by contract
  }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  const std::string name_;
};

}  // namespace tombola

#endif  // TOMBOLA_TESTS_SUPPORT_ENVIRONMENT_H_
