// Gives factories the arguments of a plugin or action as typed values.
//
//   const Arguments given(config, errors);
//   options.reclaim = given.duration("defaultReclaimMinRuntime", 0s);
//   options.resolve = given.choice<Resolve>("reclaimResolveMethod",
//                                           {{"lca", Resolve::kLca}, {"queue", Resolve::kQueue}},
//                                           Resolve::kLca);
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "config/scalars.hpp"
#include "util/result.hpp"
#include "util/time.hpp"

namespace muster {

// For a bad value, appends an error with file, line and key to `errors` and returns the default, so that one
// run finds all mistakes. REQUIRES: the component declares the requested keys.
class Arguments {
 public:
  Arguments(const ComponentConfig& component, const KnownComponent& known, std::vector<Error>& errors)
      : component_(component), known_(known), errors_(errors) {}

  std::string text(std::string_view key, std::string_view otherwise) const;
  // A negative duration is an error.
  Duration duration(std::string_view key, Duration otherwise) const;
  double number(std::string_view key, double otherwise) const;
  double number_at_least(double minimum, std::string_view key, double otherwise) const;
  bool boolean(std::string_view key, bool otherwise) const;

  template <class T>
  struct Choice {
    std::string_view word;
    T value;
  };
  template <class T>
  T choice(std::string_view key, std::initializer_list<Choice<T>> choices, T otherwise) const {
    const std::string* given = find(key);
    if (!given) return otherwise;
    std::vector<std::string_view> words;
    for (const auto& choice : choices) {
      if (choice.word == *given) return choice.value;
      words.push_back(choice.word);
    }
    fail(key, not_one_of(*given, words));
    return otherwise;
  }

  // Reports that the value of `key` is wrong, in the caller's words.
  void fail(std::string_view key, std::string message) const;

 private:
  const std::string* find(std::string_view key) const;
  template <class T>
  T parsed(std::string_view key, T otherwise, Result<T> (*parse)(std::string_view)) const;

  const ComponentConfig& component_;
  const KnownComponent& known_;
  std::vector<Error>& errors_;
};

}  // namespace muster
