// A value of a configuration file with its location.
//
// Reading a null into a variable leaves the variable unchanged. A value of the wrong type is reported as an
// error. Keys match in any letter case.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/scalars.hpp"
#include "document/document.hpp"
#include "util/result.hpp"
#include "util/time.hpp"

namespace muster {

class Setting;
using SettingReader = std::function<void(const Setting&)>;

// A key of a mapping, and the function that reads its value.
struct SettingKey {
  std::string_view name;
  SettingReader read;
  std::string_view other_name = {};

  // Compares in any letter case.
  bool is_called(std::string_view spelled) const;
};

// Valid as long as the document exists.
class Setting {
 public:
  // The root of the document. Errors are appended to `errors`.
  Setting(const Document& document, std::vector<Error>& errors);

  Location where() const;
  void fail(std::string message) const;

  // The same setting, but durations may also be numbers: nanoseconds, as in JSON written by Go.
  Setting with_go_durations() const;

  bool is_null() const;
  bool is_list() const;
  // A scalar of any type as text. Returns nullopt for null, and reports an error for anything else.
  std::optional<std::string> text() const;

  void read(std::string& target) const;
  void read(bool& target) const;
  void read(int& target) const;
  void read(Duration& target) const;
  void read(std::optional<TimePoint>& target) const;
  void read_non_negative(Duration& target) const;

  // Reads a mapping. Any other key is an error.
  void read_keys(const std::vector<SettingKey>& keys) const;
  // Reads a mapping whose keys are data. Their letter case matters.
  void each_member(const std::function<void(const std::string& key, const Setting& value)>& use) const;
  void each_element(const SettingReader& use) const;

 private:
  Setting(const Setting& parent, const Json& value, std::string path);
  std::optional<Duration> go_duration() const;
  template <class T, class Target>
  void read_as(Result<T> (*parse)(std::string_view), Target& target) const;

  const Document* document_;
  std::vector<Error>* errors_;
  std::shared_ptr<const Json> value_;  // a pointer, so that only setting.cpp needs the definition of Json
  std::string path_;
  bool has_go_durations_ = false;
};

template <class T>
SettingReader into(T& target) {
  return [&target](const Setting& setting) { setting.read(target); };
}
inline SettingReader into_non_negative(Duration& target) {
  return [&target](const Setting& setting) { setting.read_non_negative(target); };
}
// Accepts one of a few words.
template <class T>
SettingReader into_choice(T& target, std::map<std::string_view, T> choices) {
  return [&target, choices = std::move(choices)](const Setting& setting) {
    const auto given = setting.text();
    if (!given) return;
    if (const auto found = choices.find(*given); found != choices.end()) {
      target = found->second;
      return;
    }
    std::vector<std::string_view> words;
    for (const auto& choice : choices) words.push_back(choice.first);
    setting.fail(not_one_of(*given, words));
  };
}

// Accepts a truth value that has no effect.
SettingReader ignored_boolean();
// Accepts anything.
inline SettingReader ignored() {
  return [](const Setting&) {};
}

}  // namespace muster
