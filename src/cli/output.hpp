// Standard output, and what becomes of a program that can not write to it.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace muster::cli {

// What standard error is told about the input, each line once, however often the input is read.
class Notices {
 public:
  void say(const std::string& line);

 private:
  std::set<std::string> said_;
};

// Writes to standard output. Once that has failed, nothing more is written.
void write_out(std::string_view text);
bool has_output_failed();

// From now on writing to a pipe that nobody reads fails rather than ending the process, and a file that
// shrinks while it is read ends it with a message.
void handle_broken_files();

// Has all that was written arrive. `exit_code`, or kOutside with a message where not all of it did.
int finish_output(int exit_code);

}  // namespace muster::cli
