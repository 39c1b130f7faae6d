// Reports spawned tasks that fail.
#include "kube/async.hpp"

#include <cstdio>
#include <cstdlib>

#include "util/printable.hpp"

namespace muster::kube {
namespace {

thread_local FailedTaskHandler* current_handler = nullptr;

}  // namespace

void print_error(const std::string& text) {
  const std::string line = "error: " + printable(text) + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

std::string FailedTask::text() const { return "the task " + name + " failed: " + reason; }

FailedTaskHandler::FailedTaskHandler(std::function<void(const FailedTask&)> report)
    : report_(std::move(report)), outer_(std::exchange(current_handler, this)) {}

FailedTaskHandler::~FailedTaskHandler() { current_handler = outer_; }

void FailedTaskHandler::report(const FailedTask& failed) noexcept {
  try {
    if (current_handler != nullptr) return current_handler->report_(failed);
  } catch (...) {
    print_error("reporting a failed task failed: " + text_of_exception(std::current_exception()));
  }
  print_error(failed.text());
  if (failed.kind == TaskKind::kEssential) std::abort();
}

std::string text_of_exception(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "an exception of an unknown type";
  }
}

namespace async_detail {

Detached run_detached(Async<void> work, std::string name, TaskKind kind) {
  std::exception_ptr failure;
  try {
    co_await std::move(work);
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure) FailedTaskHandler::report({std::move(name), text_of_exception(failure), kind});
}

}  // namespace async_detail
}  // namespace muster::kube
