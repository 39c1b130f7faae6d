// Writes the constraints on where a task may go as text. Equal constraints have equal text.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/objects.hpp"

namespace muster {

class ConstraintText {
 public:
  // Contains what KAI-Scheduler compares, so amounts, config maps and device claims are left out.
  const std::string& of(const Constraints& constraints);

 private:
  void add(const std::string& s) { out_ += std::to_string(s.size()) + ":" + s; }
  void add(const std::vector<Requirement>& requirements);
  void add(const Toleration& toleration);
  void add(const PodAffinityTerm& term);

  std::string out_;
};

// Numbers each distinct text.
class TextNumbers {
 public:
  std::uint32_t of(const std::string& text) {
    return numbers_.try_emplace(text, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  absl::flat_hash_map<std::string, std::uint32_t> numbers_;
};

}  // namespace muster
