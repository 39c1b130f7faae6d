// Types of hooks. The type says how the answers of several plugins are combined:
//   FilterHook  all must allow; the first refusal decides and is reported to the user
//   OrderHook   the first plugin with an opinion decides
//   RankHook    likewise, as a number: smaller numbers come first
//   ListHook    all plugins are called
//   OwnerHook   exactly one plugin may answer; a second one is a start-up error
//   ScoreHook   scores are added up (score_hook.hpp)
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace muster {

template <class Refusal, class... Args>
class FilterHook {
 public:
  using Function = std::function<std::optional<Refusal>(Args...)>;
  void add(Function f) { functions_.push_back(std::move(f)); }
  // Returns nullopt if allowed.
  std::optional<Refusal> operator()(Args... args) const {
    for (const Function& f : functions_)
      if (auto refusal = f(args...)) return refusal;
    return std::nullopt;
  }
  bool empty() const { return functions_.empty(); }

 private:
  std::vector<Function> functions_;
};

template <class T>
class OrderHook {
 public:
  using Function = std::function<int(const T&, const T&)>;  // <0: left first, >0: right first, 0: no opinion
  void add(Function f) { functions_.push_back(std::move(f)); }
  int operator()(const T& left, const T& right) const {
    for (const Function& f : functions_)
      if (const int order = f(left, right)) return order;
    return 0;
  }

 private:
  std::vector<Function> functions_;
};

// An order for frequent comparisons: plugins are asked once per element, not once per pair.
template <class... Args>
class RankHook {
 public:
  using Function = std::function<std::uint64_t(Args...)>;
  // REQUIRES: `f` returns numbers below 2^bits.
  void add(int bits, Function f) {
    bits_ += bits;
    if (bits_ > 64) throw std::logic_error("the ranks of the plugins do not fit into 64 bits");
    parts_.push_back({bits, std::move(f)});
  }
  std::uint64_t operator()(Args... args) const {
    std::uint64_t rank = 0;
    for (const auto& [bits, f] : parts_) rank = rank << bits | f(args...);
    return rank;
  }

 private:
  struct Part {
    int bits;
    Function f;
  };
  int bits_ = 0;
  std::vector<Part> parts_;
};

template <class Signature>
class OwnerHook;
template <class R, class... Args>
class OwnerHook<R(Args...)> {
 public:
  explicit OwnerHook(const char* name) : name_(name) {}
  void set(const std::string& owner, std::function<R(Args...)> f) {
    if (function_)
      throw std::logic_error("plugins \"" + owner_ + "\" and \"" + owner + "\" both answer " + name_ +
                             "; only one may");
    owner_ = owner;
    function_ = std::move(f);
  }
  explicit operator bool() const { return static_cast<bool>(function_); }
  R operator()(Args... args) const { return function_(args...); }

 private:
  const char* name_;
  std::string owner_;
  std::function<R(Args...)> function_;
};

template <class... Args>
class ListHook {
 public:
  using Function = std::function<void(Args...)>;
  void add(Function f) { functions_.push_back(std::move(f)); }
  void operator()(Args... args) const {
    for (const Function& f : functions_) f(args...);
  }
  bool empty() const { return functions_.empty(); }

 private:
  std::vector<Function> functions_;
};

}  // namespace muster
