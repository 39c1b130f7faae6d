// Reads lists and watch events of the API server. An object that cannot be read, because it is nested too
// deeply or has a number that is too large, does not affect the others.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "document/json_fwd.hpp"

namespace muster::kube {

class ObjectReader {
 public:
  ObjectReader();
  ~ObjectReader();

  // The object is valid only during the call. If `is_whole` is false, it has only its metadata, or is empty.
  using UseObject = std::function<void(Json object, bool is_whole)>;
  using UseEvent = std::function<void(std::string_view type, Json object, bool is_whole)>;

  struct Page {
    bool is_list = false;
    std::string next, version;  // continue token of the next page, "" if none; resource version of the list
  };
  Page page(std::string_view text, const UseObject& use);
  // Returns false if `text` is not an event.
  bool event(std::string_view text, const UseEvent& use);
  // Returns false if `text` is not an object or cannot be read.
  bool object(std::string_view text, Json& root);

 private:
  Page page_by_parts(std::string_view text, const UseObject& use);
  bool metadata_of(std::string_view object, Json& root);

  const std::unique_ptr<simdjson::dom::parser> parser_;
};

}  // namespace muster::kube
