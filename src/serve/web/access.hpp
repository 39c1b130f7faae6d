// Access control of the HTTP API: the API server decides, and its answer is valid for a minute.
#pragma once

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "serve/health/http_guard.hpp"
#include "serve/web/upstream.hpp"

namespace muster::serve {

enum class MayRead { kYes, kUnauthenticated, kNo, kUnknown };

class Access {
 public:
  Access(const Upstream& upstream, const std::atomic<bool>& is_closing, const Trouble& trouble)
      : upstream_(upstream), is_closing_(is_closing), trouble_(trouble) {}

  // Returns whether the owner of the token may get this path and list the pods of the namespace, or of all
  // namespaces if it is "". May be called from any thread except the loop's. REQUIRES: all three are valid
  // UTF-8.
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
  using Promise = std::shared_ptr<std::promise<MayRead>>;
  kube::Async<MayRead> ask(Question question);
  kube::Async<void> keep(Promise promise, Question question);

  const Upstream& upstream_;
  const std::atomic<bool>& is_closing_;
  const Trouble& trouble_;
  std::mutex mutex_;
  std::map<Question, Known> known_;
};

}  // namespace muster::serve
