// A value inside the document being decoded, which knows its path and reports what is wrong with it.
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

// What the fields of one document share.
struct Decoding {
  const Document& document;
  Scope scope;
  const DecodeOptions& options;
  Findings& findings;
  bool is_unusable = false;                  // an error was found: the object is left out
  std::forward_list<std::string> converted;  // texts that are not in the document as such
};

// Fields live on the stack, each below the one it was taken from; the path is put together for a finding
// only. A field that is missing and one that is null are the same: absent.
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
  Json json() const { return json_; }  // of a present field only
  std::string_view key() const { return key_; }
  TimePoint now() const { return decoding_.options.now; }
  const NamespaceLimits* limits() const { return decoding_.options.limits; }
  const RuntimeClasses* runtime_classes() const { return decoding_.options.runtime_classes; }
  Scope scope() const { return decoding_.scope; }
  std::string path() const;
  std::string object_name() const;  // "Pod ns/name", as far as the document says so

  // The member as it is, or one that must be an object: anything else is an error, and absent. The field
  // asked must outlive the answer.
  Field operator[](std::string_view key) const&;
  Field operator[](std::string_view key) const&& = delete;
  Field object(std::string_view key) const&;
  Field object(std::string_view key) const&& = delete;

  // The field costs only itself …
  void warn(std::string message) const;
  // … or the whole object.
  void fail(std::string message) const;

  // Absent: "". A number or truth value is read as its text, with a warning.
  std::string_view text() const;
  std::string string() const { return std::string(text()); }
  // Nothing if absent, or, with a warning, if something else or out of range.
  std::optional<std::int32_t> int32() const;
  std::optional<std::int64_t> int64() const;
  std::optional<double> number() const;
  std::optional<bool> boolean() const;
  std::optional<TimePoint> time() const;
  // Nothing, with a warning, also if the duration is negative and may not be.
  std::optional<Duration> duration(bool may_be_negative = false) const;
  // A quantity in whole units or thousandths; anything else, negative amounts included, is an error, and 0.
  std::int64_t whole() const { return quantity(false); }
  std::int64_t milli() const { return quantity(true); }

  // Calls `use(const Field&)` for each; anything but an object (a list) is an error.
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

  // The same for a list of objects.
  template <class Use>
  void each_object(Use&& use) const {
    each_item([&](const Field& item) {
      if (item.is_object()) use(item);
    });
  }

  std::vector<std::string> strings() const;  // of a list of texts

 private:
  static constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);

  bool is_object() const;  // an error if not
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
