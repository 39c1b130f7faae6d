// Where objects stand in the files. Few warnings speak of an object that was read before, so places are
// looked up when there are some: the files are read once more, for the objects that are wanted.
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

// "Queue team-a", "Pod ns/name", "Deployment default/web"; "" where it has no name.
std::string object_name(const Document& document);
// The same under a name that the document does not give.
std::string object_name(const Document& document, std::string_view name);

// Objects are named as in messages.
class ObjectPlaces {
 public:
  void want(const std::string& object, const std::string& field) {
    wanted_[object].lines.try_emplace(field, 0);
  }
  bool is_anything_wanted() const { return !wanted_.empty(); }

  // Every document, when the files are read once more.
  void note(const Document& document);
  // An object that was made for another one stands where that one does.
  void note_made(const std::string& object, const Location& where) { made_.try_emplace(object, where); }

  // Of what was wanted: the line of the field, or of the nearest one above it, or of the object.
  Location find(const std::string& object, const std::string& field) const;
  // Wanted objects that were given more than once, each at its later places.
  const std::vector<Error>& repeated() const { return repeated_; }

 private:
  struct Place {
    std::string file;
    int line = 0;
    bool is_found = false;
    std::map<std::string, int> lines;  // by field
  };
  std::map<std::string, Place> wanted_;
  std::map<std::string, Location> made_;
  std::vector<Error> repeated_;
};

}  // namespace muster::cli
