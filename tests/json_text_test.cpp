// nlohmann's dump() throws on bytes that are not UTF-8, so kube and serve write JSON through
// kube/json_text.hpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace muster {
namespace {

namespace fs = std::filesystem;

// "serve/write/bind.cpp:12", for each call of dump() below the directory except in that helper.
std::vector<std::string> dumps_below(const fs::path& directory) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const std::string name = entry.path().lexically_relative(MUSTER_SOURCE_DIR).generic_string();
    const bool is_source = name.ends_with(".cpp") || name.ends_with(".hpp");
    if (!is_source || name == "kube/json_text.cpp") continue;
    std::ifstream file(entry.path());
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      if (line.find("dump(") != line.npos) found.push_back(name + ":" + std::to_string(number));
    }
  }
  return found;
}

TEST(JsonText, IsWrittenByOneHelper) {
  for (const char* module :
       {"kube", "serve/check", "serve/health", "serve/read", "serve/usage", "serve/write"})
    EXPECT_THAT(dumps_below(fs::path(MUSTER_SOURCE_DIR) / module), testing::IsEmpty())
        << "call kube::json_text() instead: dump() throws at bytes that are not UTF-8";
}

}  // namespace
}  // namespace muster
