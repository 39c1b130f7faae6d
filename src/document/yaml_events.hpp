// Writes the events of one YAML document as JSON.
#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "document/yaml_to_json.hpp"

namespace muster {

// Throws YAML::ParserException for well-formed YAML that cannot be used.
class YamlEvents final : public YAML::EventHandler {
 public:
  YamlEvents(int first_line, TranslatedYaml& out)
      : first_line_(first_line), json_(out.json), places_(out.places) {}

  const YAML::Mark& start() const { return start_; }

  void OnDocumentStart(const YAML::Mark& mark) override { start_ = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override;
  void OnSequenceEnd() override;
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override;
  void OnMapEnd() override;

 private:
  struct Collection {
    bool is_map = false;
    bool wants_key = false;        // in a mapping: the next node is a key
    bool is_merge = false;         // the value being read belongs to `<<`
    std::size_t begin = 0;         // start of its text
    std::size_t member_begin = 0;  // start of the text of the member being read, including its comma
    YAML::anchor_t anchor = 0;
    Places::Index place = 0;         // of the collection itself
    Places::Index member_place = 0;  // of the member being read
    YAML::Mark mark;
    std::unordered_set<std::string> keys;
    std::vector<std::string> merges;  // values of `<<`
  };

  bool at_key() const { return !open_.empty() && open_.back().wants_key; }
  bool is_first_member() const { return json_.size() == open_.back().begin + 1; }
  void key(const YAML::Mark& mark, const std::string& scalar_json, bool may_merge);
  Places::Index begin_node(const YAML::Mark& mark);
  void end_node(const YAML::Mark& mark, std::size_t begin, YAML::anchor_t anchor, Places::Index place);
  void scalar(const YAML::Mark& mark, const std::string& scalar_json, YAML::anchor_t anchor, bool may_merge);
  void begin_collection(const YAML::Mark& mark, YAML::anchor_t anchor, bool is_map);
  void end_collection(char bracket);
  void take_merge_value();
  void append_merges(Collection& map);
  void append_members(Collection& map, const std::string& object_text);
  void charge(const YAML::Mark& mark, std::size_t bytes);

  const int first_line_;
  std::string& json_;
  Places& places_;
  YAML::Mark start_;
  std::vector<Collection> open_;
  std::map<YAML::anchor_t, std::string> anchors_;  // text of each anchored node
  std::size_t copied_ = 0;                         // size of copies for anchors, aliases and merges
};

}  // namespace muster
