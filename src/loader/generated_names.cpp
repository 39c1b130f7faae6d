// Appends five letters to the prefix, like the API server. They are derived from kind, name and a number.
#include "loader/generated_names.hpp"

#include <fmt/format.h>

#include <cassert>
#include <nlohmann/json.hpp>

#include "loader/object_places.hpp"

namespace muster::loader {
namespace {

constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";  // no vowels, so they form no words
constexpr std::size_t kLettersInName = 5, kLongestPrefix = 63 - kLettersInName;

std::string_view text_in_metadata(const Document& document, std::string_view pointer) {
  std::string_view text;
  return document.root().at_pointer(pointer).get(text) == simdjson::SUCCESS ? text : std::string_view();
}

// A hash that is stable across platforms and versions, unlike std::hash.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash ^ (hash >> 32);
}

std::string letters_for(std::string_view text) {
  std::string letters;
  for (std::uint64_t rest = hash_of(text); letters.size() < kLettersInName; rest /= kLetters.size())
    letters += kLetters[rest % kLetters.size()];
  return letters;
}

}  // namespace

bool GeneratedNames::needs_name(const Document& document) {
  return document.root().is_object() && !document.kind().empty() &&
         text_in_metadata(document, "/metadata/name").empty() &&
         !text_in_metadata(document, "/metadata/generateName").empty();
}

std::string GeneratedNames::name_for(const Document& document,
                                     const absl::flat_hash_set<std::string>& taken) {
  const std::string_view prefix =
      text_in_metadata(document, "/metadata/generateName").substr(0, kLongestPrefix);
  const std::string key = object_name(document, prefix);
  std::vector<std::string>& given = given_[key];
  const std::size_t number = next_[key]++;
  if (number < given.size()) return given[number];
  for (std::size_t attempt = 0;; ++attempt) {
    std::string name =
        fmt::format("{}{}", prefix, letters_for(fmt::format("{}#{}.{}", key, number, attempt)));
    if (!taken.contains(object_name(document, name))) return given.emplace_back(std::move(name));
  }
}

NamedDocument::NamedDocument(const Document& unnamed, const std::string& name) : unnamed_(unnamed) {
  nlohmann::json object = nlohmann::json::parse(simdjson::minify(unnamed.root()), nullptr, false);
  object["metadata"]["name"] = name;
  const auto error =
      parser_.parse(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)).get(root_);
  assert(error == simdjson::SUCCESS && "parsed JSON must parse again");
  static_cast<void>(error);
}

}  // namespace muster::loader
