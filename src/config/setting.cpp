// Reads values of a configuration file; errors name the location and what was expected.
#include "config/setting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "config/scalars.hpp"
#include "document/json.hpp"
#include "util/suggest.hpp"

namespace muster {
namespace {

std::string_view kind_of(Json value) {
  switch (value.type()) {
    case simdjson::dom::element_type::OBJECT:
      return "a mapping";
    case simdjson::dom::element_type::ARRAY:
      return "a list";
    case simdjson::dom::element_type::NULL_VALUE:
      return "nothing";
    default:
      return "a single value";
  }
}

// Returns nullopt if the value is not a scalar.
std::optional<std::string> scalar_text(Json value) {
  if (std::string_view text; !value.get(text)) return std::string(text);
  if (bool truth = false; !value.get(truth)) return truth ? "true" : "false";
  if (std::int64_t whole = 0; !value.get(whole)) return std::to_string(whole);
  if (std::uint64_t large = 0; !value.get(large)) return std::to_string(large);
  if (double number = 0; !value.get(number)) return fmt::format("{}", number);
  return std::nullopt;
}

std::vector<std::string_view> spellings(const std::vector<SettingKey>& keys) {
  std::vector<std::string_view> all;
  for (const SettingKey& key : keys)
    for (const std::string_view name : {key.name, key.other_name})
      if (!name.empty()) all.push_back(name);
  return all;
}

std::string below(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

}  // namespace

bool SettingKey::is_called(std::string_view spelled) const {
  if (equal_ignoring_case(spelled, name)) return true;
  return !other_name.empty() && equal_ignoring_case(spelled, other_name);
}

Setting::Setting(const Document& document, std::vector<Error>& errors)
    : document_(&document), errors_(&errors), value_(std::make_shared<Json>(document.root())) {}

Setting::Setting(const Setting& parent, const Json& value, std::string path)
    : document_(parent.document_),
      errors_(parent.errors_),
      value_(std::make_shared<Json>(value)),
      path_(std::move(path)),
      has_go_durations_(parent.has_go_durations_) {}

Setting Setting::with_go_durations() const {
  Setting setting = *this;
  setting.has_go_durations_ = true;
  return setting;
}

Location Setting::where() const {
  return {.file = document_->file(), .line = document_->line_of(path_), .path = path_};
}

void Setting::fail(std::string message) const { errors_->push_back({std::move(message), where()}); }

bool Setting::is_null() const { return value_->is_null(); }
bool Setting::is_list() const { return value_->is_array(); }

std::optional<std::string> Setting::text() const {
  if (is_null()) return std::nullopt;
  auto text = scalar_text(*value_);
  if (!text) fail(fmt::format("expected a single value, found {}", kind_of(*value_)));
  return text;
}

std::optional<Duration> Setting::go_duration() const {
  std::int64_t nanoseconds = 0;
  if (!has_go_durations_ || value_->get(nanoseconds)) return std::nullopt;
  return Duration(nanoseconds);
}

template <class T, class Target>
void Setting::read_as(Result<T> (*parse)(std::string_view), Target& target) const {
  const auto given = text();
  if (!given) return;
  const auto value = parse(*given);
  if (!value) return fail(value.error().message);
  target = *value;
}

void Setting::read(std::string& target) const {
  if (auto given = text()) target = std::move(*given);
}
void Setting::read(bool& target) const { read_as(to_boolean, target); }
void Setting::read(int& target) const { read_as(to_whole_number, target); }
void Setting::read(Duration& target) const {
  if (const auto nanoseconds = go_duration())
    target = *nanoseconds;
  else
    read_as(to_duration, target);
}
void Setting::read(std::optional<TimePoint>& target) const { read_as(to_time, target); }
void Setting::read_non_negative(Duration& target) const {
  const auto nanoseconds = go_duration();
  if (!nanoseconds) return read_as(to_non_negative_duration, target);
  if (*nanoseconds < Duration::zero()) return fail(fmt::format("{} is negative", nanoseconds->count()));
  target = *nanoseconds;
}

void Setting::read_keys(const std::vector<SettingKey>& keys) const {
  std::map<const SettingKey*, std::string> seen;
  each_member([&](const std::string& spelled, const Setting& value) {
    const auto key = std::ranges::find_if(keys, [&](const SettingKey& k) { return k.is_called(spelled); });
    if (key == keys.end()) return value.fail("unknown key" + did_you_mean(spelled, spellings(keys)));
    const auto [earlier, is_first] = seen.emplace(&*key, spelled);
    if (!is_first) return value.fail(fmt::format("was already given as \"{}\"", earlier->second));
    key->read(value);
  });
}

void Setting::each_member(const std::function<void(const std::string&, const Setting&)>& use) const {
  if (is_null()) return;
  simdjson::dom::object members;
  if (value_->get(members)) return fail(fmt::format("expected a mapping, found {}", kind_of(*value_)));
  for (const auto& member : members)
    use(std::string(member.key), Setting(*this, member.value, below(path_, member.key)));
}

void Setting::each_element(const SettingReader& use) const {
  if (is_null()) return;
  simdjson::dom::array elements;
  if (value_->get(elements)) return fail(fmt::format("expected a list, found {}", kind_of(*value_)));
  std::size_t index = 0;
  for (const Json element : elements) use(Setting(*this, element, fmt::format("{}[{}]", path_, index++)));
}

SettingReader ignored_boolean() {
  return [](const Setting& setting) {
    bool unused = false;
    setting.read(unused);
  };
}

}  // namespace muster
