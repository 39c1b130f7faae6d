// Names and messages from outside reach a terminal or a log at few places, which escape them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace muster {
namespace {

namespace fs = std::filesystem;

// terminal/output.cpp and the screen of `muster top` take a Text; the log and print_error() escape each line.
const std::set<std::string> kWriters = {"terminal/output.cpp", "cli/top/screen.cpp", "kube/async.cpp",
                                        "serve/health/log.cpp"};

bool is_for_tests(const std::string& path) {
  return path.find("_test.") != path.npos || path.find("_for_test.") != path.npos;
}

std::vector<std::string> lines_that_print(const fs::path& file) {
  static const std::regex printing(
      R"(fmt::print|std::(cout|cerr|clog)\b|\b(std::)?(f|v|vf)?printf\(|\bf?put(s|char)\(|\bfwrite\(|STD(OUT|ERR)_FILENO,)");
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (std::regex_search(line, printing)) lines.push_back(line);
  return lines;
}

TEST(Printing, HappensWhereForeignTextIsMadePrintable) {
  std::set<std::string> writers;
  for (const auto& entry : fs::recursive_directory_iterator(MUSTER_SOURCE_DIR)) {
    const std::string path = entry.path().lexically_relative(MUSTER_SOURCE_DIR).string();
    if (!entry.is_regular_file() || is_for_tests(path)) continue;
    const std::vector<std::string> lines = lines_that_print(entry.path());
    if (lines.empty()) continue;
    writers.insert(path);
    if (!kWriters.contains(path))
      ADD_FAILURE() << path << ": " << lines.front() << "\nuse terminal/output.hpp";
  }
  EXPECT_EQ(writers, kWriters);
}

}  // namespace
}  // namespace muster
