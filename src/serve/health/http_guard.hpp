// Contains exceptions while serving connections: an exception ends one connection, never the process.
#pragma once

#include <exception>
#include <functional>
#include <string>

namespace muster::serve {

// Logs a message. May be called from any thread.
using Trouble = std::function<void(const std::string& text)>;

// Does not throw: if logging fails, nothing is logged.
inline void report(const Trouble& trouble, const char* what, const std::exception& e) noexcept {
  try {
    if (trouble) trouble(std::string(what) + " failed: " + e.what());
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): there is no other way to report it
  }
}

// Runs `work` and returns its result. If it throws, reports that and returns `otherwise()`.
template <class Work, class Otherwise>
auto guarded(const Trouble& trouble, const char* what, Work&& work, Otherwise&& otherwise)
    -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& e) {
    report(trouble, what, e);
  }
  return otherwise();
}

template <class Work>
void guarded(const Trouble& trouble, const char* what, Work&& work) {
  guarded(trouble, what, work, [] {});
}

}  // namespace muster::serve
