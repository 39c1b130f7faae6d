// The only place in kube and serve that serializes nlohmann's JSON.
#include "kube/json_text.hpp"

#include <nlohmann/json.hpp>

namespace muster::kube {
namespace {

template <class Value>
std::string text_of_json(const Value& value, int indent) {
  return value.dump(indent, ' ', false, Value::error_handler_t::replace);
}

}  // namespace

std::string json_text(const nlohmann::json& value, int indent) { return text_of_json(value, indent); }
std::string json_text(const nlohmann::ordered_json& value, int indent) { return text_of_json(value, indent); }

}  // namespace muster::kube
