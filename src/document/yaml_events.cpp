// Writes JSON from the events of the YAML parser. Anchors, aliases and merge keys are copied as text.
#include "document/yaml_events.hpp"

#include <simdjson.h>
#include <yaml-cpp/exceptions.h>

#include "document/yaml_scalar.hpp"

namespace muster {
namespace {

constexpr std::size_t kMostCopied = std::size_t{32}
                                    << 20;  // expanding to more indicates an attack or a mistake

bool is_string_tag(const std::string& tag) {
  static const std::string kStandard = "tag:yaml.org,2002:";
  if (tag == "?" || tag.empty()) return false;
  if (!tag.starts_with(kStandard)) return true;
  const std::string_view name = std::string_view(tag).substr(kStandard.size());
  return name != "int" && name != "float" && name != "bool" && name != "null";
}

[[noreturn]] void refuse(const YAML::Mark& mark, const std::string& message) {
  throw YAML::ParserException(mark, message);
}

}  // namespace

void YamlEvents::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  scalar(mark, "null", anchor, false);
}

void YamlEvents::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                          const std::string& value) {
  std::string text;
  if (is_string_tag(tag))
    append_json_string(text, value);
  else
    append_plain_scalar(text, value);
  scalar(mark, text, anchor, tag == "?");
}

void YamlEvents::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const auto known = anchors_.find(anchor);
  if (known == anchors_.end()) refuse(mark, "an alias is inside its own anchor");
  const std::string& text = known->second;
  if (at_key() && (text[0] == '{' || text[0] == '[')) refuse(mark, "a key must be a scalar");
  charge(mark, text.size());
  scalar(mark, text, 0, false);
}

void YamlEvents::OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                                 YAML::EmitterStyle::value) {
  begin_collection(mark, anchor, false);
}

void YamlEvents::OnSequenceEnd() { end_collection(']'); }

void YamlEvents::OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                            YAML::EmitterStyle::value) {
  begin_collection(mark, anchor, true);
}

void YamlEvents::OnMapEnd() {
  append_merges(open_.back());
  end_collection('}');
}

// Writes a key or a value that is already JSON text.
void YamlEvents::scalar(const YAML::Mark& mark, const std::string& scalar_json, YAML::anchor_t anchor,
                        bool may_merge) {
  if (at_key()) {
    if (anchor != 0) anchors_[anchor] = scalar_json;
    return key(mark, scalar_json, may_merge);
  }
  const Places::Index place = begin_node(mark);
  const std::size_t begin = json_.size();
  json_ += scalar_json;
  end_node(mark, begin, anchor, place);
}

void YamlEvents::key(const YAML::Mark& mark, const std::string& scalar_json, bool may_merge) {
  Collection& map = open_.back();
  const bool quoted = scalar_json.starts_with('"');
  const std::string text = quoted ? scalar_json : '"' + scalar_json + '"';
  const std::string name = text.substr(1, text.size() - 2);
  map.wants_key = false;
  map.is_merge = may_merge && name == "<<";
  if (!map.is_merge && !map.keys.insert(name).second) refuse(mark, "key " + text + " is given twice");
  map.member_begin = json_.size();
  map.member_place = places_.open(first_line_ + mark.line, name);
  if (!is_first_member()) json_ += ',';
  json_ += text;
  json_ += ':';
}

Places::Index YamlEvents::begin_node(const YAML::Mark& mark) {
  if (open_.empty()) return places_.open(first_line_ + mark.line, "");
  if (open_.back().is_map) return open_.back().member_place;
  if (!is_first_member()) json_ += ',';
  return places_.open(first_line_ + mark.line, "");
}

void YamlEvents::end_node(const YAML::Mark& mark, std::size_t begin, YAML::anchor_t anchor,
                          Places::Index place) {
  if (anchor != 0) {
    charge(mark, json_.size() - begin);
    anchors_[anchor] = json_.substr(begin);
  }
  places_.close(place);
  if (open_.empty() || !open_.back().is_map) return;
  open_.back().wants_key = true;
  if (open_.back().is_merge) take_merge_value();
}

void YamlEvents::begin_collection(const YAML::Mark& mark, YAML::anchor_t anchor, bool is_map) {
  if (at_key()) refuse(mark, "a key must be a scalar");
  const Places::Index place = begin_node(mark);
  Collection collection;
  collection.is_map = collection.wants_key = is_map;
  collection.begin = json_.size();
  collection.anchor = anchor;
  collection.place = place;
  collection.mark = mark;
  open_.push_back(std::move(collection));
  json_ += is_map ? '{' : '[';
}

void YamlEvents::end_collection(char bracket) {
  json_ += bracket;
  const Collection done = std::move(open_.back());
  open_.pop_back();
  end_node(done.mark, done.begin, done.anchor, done.place);
}

// Removes the member `"<<":value` just written and keeps its value for the end of the mapping.
void YamlEvents::take_merge_value() {
  Collection& map = open_.back();
  const std::size_t value = json_.find(':', map.member_begin) + 1;
  map.merges.push_back(json_.substr(value));
  json_.resize(map.member_begin);
  map.is_merge = false;
}

void YamlEvents::append_merges(Collection& map) {
  for (const std::string& text : map.merges) {
    if (text[0] == '{') {
      append_members(map, text);
      continue;
    }
    simdjson::dom::parser parser;
    simdjson::dom::array items;
    if (parser.parse(text).get(items) != simdjson::SUCCESS) refuse(map.mark, "<< requires a mapping");
    for (const auto item : items) append_members(map, simdjson::minify(item));
  }
}

// Appends the members that the mapping does not have yet: its own members and earlier ones take precedence.
void YamlEvents::append_members(Collection& map, const std::string& object_text) {
  simdjson::dom::parser parser;
  simdjson::dom::object members;
  if (parser.parse(object_text).get(members) != simdjson::SUCCESS) refuse(map.mark, "<< requires a mapping");
  charge(map.mark, object_text.size());
  for (const auto& [name, value] : members) {
    std::string text;
    append_json_string(text, name);
    if (!map.keys.insert(text.substr(1, text.size() - 2)).second) continue;
    if (!is_first_member()) json_ += ',';
    json_ += text;
    json_ += ':';
    json_ += simdjson::minify(value);
  }
}

void YamlEvents::charge(const YAML::Mark& mark, std::size_t bytes) {
  copied_ += bytes;
  if (copied_ > kMostCopied) refuse(mark, "aliases expand to more than 32 MiB");
}

}  // namespace muster
