#include "shuffler/embedded/answers.h"

#include <pthread.h>

#include <utility>

namespace tombola::shuffler {
namespace {

constexpr size_t kFew = 4;

void Answer(AnsweredCommit& commit) {
  for (size_t i = 0; i < commit.entries.size(); ++i) {
    Entry& entry = commit.entries[i];
    if (commit.statuses[i].ok()) {
      entry.done(std::move(entry.outcomes));
    } else {
      entry.done(std::move(commit.statuses[i]));
    }
  }
}

}  // namespace

Answers::Answers() : thread_([this] { Run(); }) {
  pthread_setname_np(thread_.native_handle(), "answer");
}

Answers::~Answers() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
    changed_.NotifyOne();
  }
  thread_.join();
}

void Answers::Give(AnsweredCommit commit) {
  {
    MutexLock lock(mutex_);
    if (commit.entries.size() > kFew || busy_ || !waiting_.empty()) {
      waiting_.push_back(std::move(commit));
      changed_.NotifyOne();
      return;
    }
  }
  Answer(commit);
}

void Answers::Run() {
  while (true) {
    AnsweredCommit commit;
    {
      MutexLock lock(mutex_);
      busy_ = false;
      while (waiting_.empty() && !stop_) changed_.Wait(mutex_);
      if (waiting_.empty()) return;
      commit = std::move(waiting_.front());
      waiting_.pop_front();
      busy_ = true;
    }
    Answer(commit);
  }
}

}  // namespace tombola::shuffler
