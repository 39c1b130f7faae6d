// A value in the document being decoded. It knows its path and reports mistakes in its value.
#pragma once

#include <cstdint>
#include <forward_list>
#include <optional>
#include <string>
#include <string_view>

#include "document/json.hpp"
#include "manifest/manifest.hpp"

namespace muster {

enum class Scope : std::uint8_t { kNamespaced, kCluster };

// State shared by all fields of one document.
struct Decoding {
  const Document& document;
  Scope scope;
  const DecodeOptions& options;
  Findings& findings;
  bool is_unusable = false;  // an error was found, so the object is dropped
  std::forward_list<std::string>
      converted;  // owns texts that fields return but the document does not contain
};

// Fields live on the stack, each while the field it was taken from still exists; the path is only built for a
// finding. A missing field and a null field are both absent.
class Field {
 public:
  explicit Field(Decoding& decoding)
      : decoding_(decoding), json_(decoding.document.root()), is_present_(true) {}
  Field(const Field& above, std::string_view key, Json json)
      : decoding_(above.decoding_), above_(&above), key_(key), json_(json), is_present_(!json.is_null()) {}
  Field(const Field& above, std::size_t index, Json json)
      : decoding_(above.decoding_),
        above_(&above),
        index_(index),
        json_(json),
        is_present_(!json.is_null()) {}
  Field(const Field& above, std::string_view key) : decoding_(above.decoding_), above_(&above), key_(key) {}

  bool is_present() const { return is_present_; }
  Json json() const { return json_; }  // REQUIRES: is_present()
  std::string_view key() const { return key_; }
  TimePoint now() const { return decoding_.options.now; }
  const NamespaceLimits* limits() const { return decoding_.options.limits; }
  const RuntimeClasses* runtime_classes() const { return decoding_.options.runtime_classes; }
  Scope scope() const { return decoding_.scope; }
  std::string path() const;
  std::string object_name() const;  // "Pod ns/name", or as much of it as the document contains

  // A member of this field. object() reports an error and returns an absent field if the member is not an
  // object. This field must outlive the result.
  Field operator[](std::string_view key) const&;
  Field operator[](std::string_view key) const&& = delete;
  Field object(std::string_view key) const&;
  Field object(std::string_view key) const&& = delete;

  // Reports a mistake that only costs this field.
  void warn(std::string message) const;
  // Reports a mistake that costs the whole object.
  void fail(std::string message) const;

  // "" if absent. A number or truth value is read as its text, with a warning.
  std::string_view text() const;
  std::string string() const { return std::string(text()); }
  // The value for a message, cut if it is long; without a warning.
  std::string shown() const;
  // Returns nullopt if absent, or, with a warning, if the value has another type or is out of range.
  std::optional<std::int32_t> int32() const;
  std::optional<std::int64_t> int64() const;
  std::optional<double> number() const;
  std::optional<bool> boolean() const;
  std::optional<TimePoint> time() const;
  // Likewise; negative durations are also refused unless `may_be_negative`.
  std::optional<Duration> duration(bool may_be_negative = false) const;
  // A quantity in whole units or in thousandths. Anything else, including negative amounts, is an error and
  // reads as 0.
  std::int64_t whole() const { return quantity(false); }
  std::int64_t milli() const { return quantity(true); }

  // Calls `use(const Field&)` for each member (item). It is an error if the field is not an object (list).
  template <class Use>
  void each_member(Use&& use) const {
    simdjson::dom::object members;
    if (!is_present_) return;
    if (json_.get(members) != simdjson::SUCCESS) return wrong_type("an object");
    for (const auto [key, value] : members) use(Field(*this, key, value));
  }
  template <class Use>
  void each_item(Use&& use) const {
    simdjson::dom::array items;
    if (!is_present_) return;
    if (json_.get(items) != simdjson::SUCCESS) return wrong_type("a list");
    std::size_t index = 0;
    for (const Json item : items) use(Field(*this, index++, item));
  }

  // Likewise for a list of objects.
  template <class Use>
  void each_object(Use&& use) const {
    each_item([&](const Field& item) {
      if (item.is_object()) use(item);
    });
  }

  std::vector<std::string> strings() const;  // of a list of strings

 private:
  static constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);

  bool is_object() const;  // reports an error if not
  std::int64_t quantity(bool in_thousandths) const;
  void wrong_type(std::string_view wanted) const;
  void warn_wrong_type(std::string_view wanted) const;
  Error finding(std::string message) const;

  Decoding& decoding_;
  const Field* above_ = nullptr;
  std::string_view key_;
  std::size_t index_ = kNoIndex;
  Json json_;
  bool is_present_ = false;
};

}  // namespace muster
