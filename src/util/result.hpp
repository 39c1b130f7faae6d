// Result<T>: a value, or the Error that says what is wrong with the world and where.
#pragma once

#include <boost/system/result.hpp>
#include <string>
#include <utility>

namespace muster {

// Where something was read. `path` is the field, as in "spec.resources.gpu.quota"; line 0 means unknown.
struct Location {
  std::string file;
  int line = 0;
  std::string object;  // "Queue team-a", "Pod ns/name"
  std::string path;
};

struct Error {
  std::string message;
  Location where;
  // "queues.yaml:14: Queue team-a: spec.reclaimMinRuntime: \"10\" has no unit"
  std::string text() const;
};

template <class T>
using Result = boost::system::result<T, Error>;

[[noreturn]] inline void throw_exception_from_error(const Error& e, const boost::source_location&) {
  throw std::runtime_error(e.text());
}

}  // namespace muster
