// The page of a simulation: a single HTML file with tables and charts that loads nothing from the network.
// See docs/time.md 5.
#pragma once

#include <fstream>
#include <span>
#include <string>

#include "report/run_report.hpp"

namespace muster::report {

// The page for one run, or a comparison of several.
std::string page_of(std::span<const ComparedRun> runs);

// The file for the page. It is opened before the run, so that a bad path fails early.
class PageFile {
 public:
  // Returns false, with a message, if the file cannot be written. If `path` is "", no page is written.
  bool open(const std::string& path);
  bool write(std::span<const ComparedRun> runs);

 private:
  std::string path_;
  std::ofstream file_;
};

}  // namespace muster::report
