// Where connections are served: an exception costs one connection, never the process.
#pragma once

#include <exception>
#include <functional>
#include <string>

namespace muster::serve {

// Reports, from any thread, a sentence for the log.
using Trouble = std::function<void(const std::string& text)>;

// Does not throw: where even a line of the log cannot be had, there is none.
inline void report(const Trouble& trouble, const char* what, const std::exception& e) noexcept {
  try {
    if (trouble) trouble(std::string(what) + " failed: " + e.what());
  } catch (const std::exception&) {
  }
}

// Runs `work` and returns its result; where it throws, reports that and returns `otherwise()`.
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
