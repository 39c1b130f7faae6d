// Where objects stand in the files, for checks that look at several objects at once.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.hpp"

namespace muster {
class Document;
}

namespace muster::cli {

// Objects are named as in messages: "Queue team-a", "Pod ns/name". Queues, pod groups, pods and nodes are
// kept.
class ObjectPlaces {
 public:
  void note(const Document& document);
  // An object that was made for another one stands where that one does.
  void note_made(const std::string& object, const Location& where);

  // The line of the field, or of the nearest one above it that is kept, or of the object.
  Location find(const std::string& object, const std::string& field) const;
  // Only fields of queues and other fields that checks speak of are known.
  bool has_field(const std::string& object, const std::string& field) const;
  // Objects that were given more than once.
  const std::vector<Error>& repeated() const { return repeated_; }

 private:
  struct Place {
    std::string file;
    int line = 0;
    std::map<std::string, int> fields;
  };
  std::map<std::string, Place> places_;
  std::vector<Error> repeated_;
};

}  // namespace muster::cli
