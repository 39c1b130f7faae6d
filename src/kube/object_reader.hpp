// Reads lists and events as the API server writes them. An object that can not be read, because it is nested
// too deep or has a number too large, costs only itself.
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

  // Elements are valid during the call only. Not whole: there is nothing but metadata, or not even that.
  using UseObject = std::function<void(Json object, bool is_whole)>;
  using UseEvent = std::function<void(std::string_view type, Json object, bool is_whole)>;

  struct Page {
    bool is_list = false;
    std::string next, version;  // where the next page begins, "": there is none; the version of the list
  };
  Page page(std::string_view text, const UseObject& use);
  // False: it is no event.
  bool event(std::string_view text, const UseEvent& use);
  // False: it is no object, or can not be read.
  bool object(std::string_view text, Json& root);

 private:
  Page page_by_parts(std::string_view text, const UseObject& use);
  bool metadata_of(std::string_view object, Json& root);

  const std::unique_ptr<simdjson::dom::parser> parser_;
};

}  // namespace muster::kube
