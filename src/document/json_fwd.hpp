// A forward declaration of Json for headers that only pass it on.
#pragma once

namespace simdjson::dom {
class element;
class parser;
}  // namespace simdjson::dom

namespace muster {

using Json = simdjson::dom::element;

}  // namespace muster
