// Result<T>: either a value or an Error with a message and a location.
//
//   auto config = load_config(path);
//   if (!config) return config.error();
//   use(*config);
#pragma once

#include <cassert>
#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace muster {

// The location of text in a file. `path` is the field, such as "spec.resources.gpu.quota". Line 0 means
// unknown.
struct Location {
  std::string file;
  int line = 0;
  std::string object;  // "Queue team-a", "Pod ns/name"
  std::string path;
};

struct Error {
  std::string message;
  Location where;
  bool is_outside = false;  // it could not be read at all; its content may be valid
  // For example "queues.yaml:14: Queue team-a: spec.reclaimMinRuntime: \"10\" has no unit". Empty parts are
  // omitted.
  std::string text() const;
};

// Converts implicitly from anything that T converts from, and from Error. REQUIRES: callers only ask for the
// value or error that it contains.
template <class T>
class [[nodiscard]] Result {
  static_assert(!std::is_same_v<T, Error> && !std::is_reference_v<T>);

 public:
  template <class U = T>
  requires(std::convertible_to<U, T> && !std::same_as<std::remove_cvref_t<U>, Result> &&
           !std::same_as<std::remove_cvref_t<U>, Error>) Result(U&& value)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return *checked<0>(state_); }
  const T& value() const& { return *checked<0>(state_); }
  T&& value() && { return std::move(*checked<0>(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() & { return *checked<1>(state_); }
  const Error& error() const& { return *checked<1>(state_); }
  Error&& error() && { return std::move(*checked<1>(state_)); }

 private:
  template <std::size_t kIndex, class State>
  static auto checked(State& state) {
    assert(state.index() == kIndex && "asked for the value of a failure, or the error of a success");
    return std::get_if<kIndex>(&state);
  }
  std::variant<T, Error> state_;
};

// For functions that return nothing but may fail. Result<void>() is the success.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_; }
  explicit operator bool() const { return has_value(); }
  Error& error() {
    assert(error_ && "asked for the error of a success");
    return *error_;
  }
  const Error& error() const {
    assert(error_ && "asked for the error of a success");
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace muster
