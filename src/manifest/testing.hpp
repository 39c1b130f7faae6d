// Test helper: decodes manifests given as text and collects the objects and findings.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "manifest/manifest.hpp"

namespace muster {

class Collected {
 public:
  template <class T>
  const std::vector<T>& all() const {
    return std::get<std::vector<T>>(objects_);
  }
  void take(Object&& object) {
    std::visit([&]<class T>(T& o) { std::get<std::vector<T>>(objects_).push_back(std::move(o)); }, object);
  }

  // One finding per line, errors first: "E f.yaml:3: Pod default/a: spec: …".
  std::string findings_text() const {
    std::string text;
    for (const Error& error : findings.errors) text += "E " + error.text() + '\n';
    for (const Error& warning : findings.warnings) text += "W " + warning.text() + '\n';
    return text;
  }

  Findings findings;

 private:
  template <class>
  struct ListsOf;
  template <class... T>
  struct ListsOf<std::variant<T...>> {
    using Type = std::tuple<std::vector<T>...>;
  };
  ListsOf<Object>::Type objects_;
};

inline const TimePoint kTestNow = *parse_time("2025-06-01T12:00:00Z");

inline Collected decoded(std::string_view text, const std::string& name = "f.yaml",
                         const DecodeOptions& options = {.now = kTestNow}) {
  Collected collected;
  const auto take = [&](Object&& object) { collected.take(std::move(object)); };
  read_documents_in(
      name, text,
      [&](const Document& document) { decode_object(document, options, take, collected.findings); },
      [&](const Error& error) { collected.findings.errors.push_back(error); });
  return collected;
}

// For example "cpu 1000, memory 5".
inline std::string text_of(const std::vector<NamedAmount>& amounts) {
  std::string text;
  for (const auto& [name, units] : amounts)
    text += (text.empty() ? "" : ", ") + name + ' ' + std::to_string(units);
  return text;
}

}  // namespace muster
