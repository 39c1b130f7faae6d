// Finds the file and line of objects. Locations are not recorded, because few warnings concern an object that
// was read before. Instead, the files are read again if the locations of some objects are needed.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.hpp"

namespace muster {
class Document;
}

namespace muster::loader {

// Returns "Queue team-a", "Pod ns/name" or "Deployment default/web"; "" if the object has no name.
std::string object_name(const Document& document);
// Returns the same for an object that gets its name elsewhere.
std::string object_name(const Document& document, std::string_view name);

// Names objects as object_name() does.
class ObjectPlaces {
 public:
  void want(const std::string& object, const std::string& field) {
    wanted_[object].lines.try_emplace(field, 0);
  }
  bool is_anything_wanted() const { return !wanted_.empty(); }

  // Call for every document when the files are read again.
  void note(const Document& document);
  // Gives an object that was created for another one the location of that one.
  void note_made(const std::string& object, const Location& where) { made_.try_emplace(object, where); }

  // The location of a requested object: the line of the field, of its nearest parent, or of the object.
  Location find(const std::string& object, const std::string& field) const;
  // One finding for each repeated definition of a requested object.
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

}  // namespace muster::loader
