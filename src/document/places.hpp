// The line of each field of a document.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// A tree in document order: each place is followed by the places below it. Place 0 is the root.
class Places {
 public:
  using Index = std::uint32_t;

  Index open(int line, std::string_view key);  // `key` is "" for items of a sequence
  void close(Index place) { places_[place].next = size(); }

  // The line of the field at a dotted path below `from`, or of the nearest field above it. Keys may contain
  // dots.
  int line_of(std::string_view path, Index from = 0) const;
  // The place of a field or item, or `parent` itself if it does not exist.
  Index child(Index parent, std::string_view key) const;
  Index first_item(Index parent) const;
  Index next_item(Index item) const { return item < size() ? places_[item].next : item; }

 private:
  struct Place {
    int line;
    std::uint32_t key_begin, key_size;
    Index next;  // the first place that is not below this one
  };
  struct Step {
    Index place;
    std::size_t length;  // length of the part of the path that it matches; 0: no such place
  };

  Index size() const { return static_cast<Index>(places_.size()); }
  std::string_view key(Index place) const;
  Step step(Index parent, std::string_view path) const;
  Step item_step(Index parent, std::string_view path) const;
  Step key_step(Index parent, std::string_view path) const;

  std::vector<Place> places_;
  std::string keys_;
};

}  // namespace muster
