// What is legal in a set of manifests and surely not meant. Only what is certain: no guesses about
// intentions.
#pragma once

#include <string>
#include <vector>

#include "cli/input/inputs.hpp"
#include "cli/input/object_places.hpp"

namespace muster::cli {

// Collects warnings, each at the place of its field.
class Warnings {
 public:
  explicit Warnings(const ObjectPlaces& places) : places_(places) {}
  void add(const std::string& object, const std::string& field, std::string message) {
    list_.push_back({std::move(message), places_.find(object, field)});
  }
  bool is_given(const std::string& object, const std::string& field) const {
    return places_.has_field(object, field);
  }
  std::vector<Error> take() { return std::move(list_); }

 private:
  const ObjectPlaces& places_;
  std::vector<Error> list_;
};

// Quotas, limits and weights against each other, the parents' and the cluster's.
void check_amounts(const Inputs& inputs, Warnings& warnings);
// Minimum runtimes that never count, or not where one would think.
void check_runtimes(const Inputs& inputs, Warnings& warnings);
// Jobs without a usable queue, pods without a job, pods that no node could hold.
void check_jobs(const Inputs& inputs, Warnings& warnings);

}  // namespace muster::cli
