// The page of a simulation: one HTML file without network, with tables and charts. docs/spec/time.md 5.
#pragma once

#include <fstream>
#include <span>
#include <string>

#include "cli/report/run_report.hpp"

namespace muster::cli {

// One run, or several side by side.
std::string page_of(std::span<const ComparedRun> runs);

// Where the page goes: opened before the run, so that nobody waits in vain.
class PageFile {
 public:
  // False, with a message, where it can not be written. "": there will be no page.
  bool open(const std::string& path);
  bool write(std::span<const ComparedRun> runs);

 private:
  std::string path_;
  std::ofstream file_;
};

}  // namespace muster::cli
