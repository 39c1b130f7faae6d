// Finds the line of a dotted path by walking the tree of places.
#include "document/places.hpp"

#include <charconv>

namespace muster {
namespace {

bool ends_segment(std::string_view rest) { return rest.empty() || rest[0] == '.' || rest[0] == '['; }

}  // namespace

Places::Index Places::open(int line, std::string_view key) {
  const auto begin = static_cast<std::uint32_t>(keys_.size());
  keys_ += key;
  places_.push_back({line, begin, static_cast<std::uint32_t>(key.size()), size() + 1});
  return size() - 1;
}

std::string_view Places::key(Index place) const {
  return std::string_view(keys_).substr(places_[place].key_begin, places_[place].key_size);
}

int Places::line_of(std::string_view path, Index from) const {
  if (from >= size()) return 0;
  while (!path.empty()) {
    const Step next = step(from, path);
    if (next.length == 0) break;
    from = next.place;
    path.remove_prefix(next.length);
    if (path.starts_with('.')) path.remove_prefix(1);
  }
  return places_[from].line;
}

Places::Step Places::step(Index parent, std::string_view path) const {
  return path[0] == '[' ? item_step(parent, path) : key_step(parent, path);
}

Places::Step Places::item_step(Index parent, std::string_view path) const {
  std::size_t wanted = 0;
  const auto [end, error] = std::from_chars(path.data() + 1, path.data() + path.size(), wanted);
  if (error != std::errc() || end == path.data() + path.size() || *end != ']') return {parent, 0};
  for (Index at = parent + 1; at < places_[parent].next; at = places_[at].next)
    if (wanted-- == 0) return {at, static_cast<std::size_t>(end + 1 - path.data())};
  return {parent, 0};
}

Places::Step Places::key_step(Index parent, std::string_view path) const {
  Step longest{parent, 0};
  for (Index at = parent + 1; at < places_[parent].next; at = places_[at].next) {
    const std::string_view name = key(at);
    if (name.size() > longest.length && path.starts_with(name) && ends_segment(path.substr(name.size())))
      longest = {at, name.size()};
  }
  return longest;
}

Places::Index Places::child(Index parent, std::string_view name) const {
  if (parent >= size()) return parent;
  for (Index at = parent + 1; at < places_[parent].next; at = places_[at].next)
    if (key(at) == name) return at;
  return parent;
}

Places::Index Places::first_item(Index parent) const { return parent + 1 < size() ? parent + 1 : parent; }

}  // namespace muster
