// Who may read what of the interface: the API server is asked, and what it says holds for a minute.
#pragma once

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "kube/api_client.hpp"

namespace muster::serve {

enum class MayRead { kYes, kNotKnown, kNo, kNobodySays };

class Access {
 public:
  Access(kube::ApiClient& client, const std::atomic<bool>& is_closing)
      : client_(client), is_closing_(is_closing) {}

  // From any thread but the loop's. May whoever has the token get this path, and list the pods of the
  // namespace
  // ("": of all)?
  MayRead may_read(const std::string& token, const std::string& path, const std::string& ns);

 private:
  struct Question {
    std::string token, path, ns;
    auto operator<=>(const Question&) const = default;
  };
  struct Known {
    MayRead answer;
    kube::Clock::time_point until;
  };
  kube::Async<MayRead> ask(Question question);
  kube::Async<void> keep(std::shared_ptr<std::promise<MayRead>> promise, Question question);

  kube::ApiClient& client_;
  const std::atomic<bool>& is_closing_;
  std::mutex mutex_;
  std::map<Question, Known> known_;
};

}  // namespace muster::serve
