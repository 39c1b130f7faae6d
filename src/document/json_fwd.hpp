// Json by name only: for headers that pass it on without looking inside.
#pragma once

namespace simdjson::dom {
class element;
class parser;
}  // namespace simdjson::dom

namespace muster {

using Json = simdjson::dom::element;

}  // namespace muster
