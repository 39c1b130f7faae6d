// Shows the progress of reading, on a terminal and only if reading takes long.
#pragma once

#include <cstdint>
#include <string>

#include "terminal/status_line.hpp"

namespace muster::loader {

class Progress {
 public:
  void file_begins(const std::string& file);
  // Cheap enough to be called for every object.
  void object_read();

 private:
  void show();

  StatusLine line_;
  std::string file_;
  double megabytes_ = 0;  // size of the file
  std::uint64_t objects_ = 0;
};

}  // namespace muster::loader
