// Dependencies point one way: compares the #include lines under src/ with the lists below.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace muster {
namespace {

namespace fs = std::filesystem;

// Module → the modules that it may include, besides itself. util ← model ← engine ← {plugins, actions} ←
// policy ← cli.
const std::map<std::string, std::set<std::string>> kPicture = {
    {"util", {}},
    {"options", {"util"}},
    {"fairshare", {}},
    {"document", {"util"}},
    {"usage", {"util"}},
    {"config", {"util", "options", "document", "usage"}},
    {"cel", {"util"}},
    {"model", {"util", "options"}},
    {"manifest", {"model", "document", "util"}},
    {"engine", {"model", "fairshare", "options", "util"}},
    {"plugins", {"engine", "model", "config", "cel", "options", "util", "fairshare"}},
    {"actions", {"engine", "model", "config", "options", "util"}},
    {"policy", {"plugins", "actions", "engine", "model", "config", "options", "util"}},
    {"grouper", {"document", "util"}},
    {"sim", {"engine", "grouper", "model", "manifest", "document", "usage", "util"}},
    {"trace", {"sim", "model", "document", "util"}},
    {"answers", {"engine", "sim", "grouper", "model", "options", "util"}},
    {"checks", {"model", "util"}},
    {"terminal", {"util"}},
    {"loader",
     {"answers", "checks", "config", "document", "engine", "grouper", "manifest", "model", "plugins",
      "policy", "sim", "terminal", "trace", "usage", "util"}},
    {"report", {"answers", "sim", "terminal", "engine", "model", "util"}},
    {"kube", {"model", "manifest", "document", "util"}},
    {"serve",
     {"answers", "kube", "grouper", "checks", "plugins", "engine", "model", "manifest", "document", "usage",
      "util"}},
    {"cli",
     {"util", "terminal", "options", "document", "config", "model", "manifest", "engine", "policy", "sim",
      "trace", "answers", "loader", "report", "checks", "kube", "serve", "usage"}},
};

// The same inside engine: order ← place ← search; all of them know cycle. Inside serve, write knows read, and
// check knows both.
const std::map<std::string, std::set<std::string>> kFolders = {
    {"engine/cycle", {}},
    {"engine/order", {"engine/cycle"}},
    {"engine/place", {"engine/cycle", "engine/order"}},
    {"engine/search", {"engine/cycle", "engine/order", "engine/place"}},
    {"serve/health", {}},
    {"serve/web", {"serve/health"}},
    {"serve/read", {"serve/health"}},
    {"serve/write", {"serve/health", "serve/read"}},
    {"serve/check", {"serve/health", "serve/read", "serve/write"}},
    {"serve/usage", {"serve/health", "serve/read", "serve/write"}},
};

// The session creates and owns everything that lives as long as a cycle, in whatever directory it is. The
// cycle places nominated jobs between its rounds.
const std::set<std::string> kKeepers = {"engine/cycle/session.cpp", "engine/cycle/session_close.cpp",
                                        "engine/cycle/run_cycle.cpp"};

// In these modules, a part (a pair of files or a directory) includes no header of another part; registry.cpp
// lists the parts.
const std::set<std::string> kModulesOfSeparateParts = {"plugins", "actions"};

std::string module_of(const std::string& path) { return path.substr(0, path.find('/')); }

// "plugins/min_runtime.hpp", "…/min_runtime.cpp" and "…/min_runtime_test.cpp" are all "plugins/min_runtime";
// "plugins/topology/room.cpp" is "plugins/topology".
std::string part_of(const std::string& path) {
  const auto folder = path.find('/', path.find('/') + 1);
  std::string stem = path.substr(0, std::min(folder, path.rfind('.')));
  for (const char* suffix : {"_test", "_bench"})
    if (stem.ends_with(suffix)) stem.resize(stem.size() - std::string(suffix).size());
  return stem;
}

// "engine/order/heap.hpp" is in "engine/order"; empty: in none of the directories above.
std::string folder_of(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/'));
  return kFolders.contains(folder) ? folder : "";
}

bool may_include_folder(const std::string& file, const std::string& included) {
  const std::string from = folder_of(file), to = folder_of(included);
  return from.empty() || from == to || kFolders.at(from).contains(to) || kKeepers.contains(file);
}

bool is_test(const std::string& path) { return path.ends_with("_test.cpp") || path.ends_with("_bench.cpp"); }

// The builders of tests/, and test helpers of a module.
bool is_for_tests(const std::string& header) {
  return header.starts_with("tests/") || header.ends_with("_for_test.hpp");
}

bool includes_parts_freely(const std::string& path) {
  return !kModulesOfSeparateParts.contains(module_of(path)) || part_of(path).ends_with("/registry");
}

// Both paths relative to src/.
bool may_include(const std::string& file, const std::string& included) {
  const std::string from = file == "main.cpp" ? "cli" : module_of(file);
  const std::string to = module_of(included);
  if (is_for_tests(included)) return is_test(file);
  if (from == to && !may_include_folder(file, included)) return false;
  if (from == to) return includes_parts_freely(file) || part_of(file) == part_of(included);
  const auto allowed = kPicture.find(from);
  return allowed != kPicture.end() && allowed->second.contains(to);
}

// The text between the quotes of `#include "..."`; empty for any other line.
std::string quoted_include(const std::string& line) {
  const std::string start = "#include \"";
  if (!line.starts_with(start)) return "";
  return line.substr(start.size(), line.find('"', start.size()) - start.size());
}

std::vector<std::string> includes_of(const fs::path& file) {
  std::vector<std::string> found;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (auto included = quoted_include(line); !included.empty()) found.push_back(included);
  return found;
}

std::vector<std::string> source_files(const fs::path& root) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.path().extension() == ".hpp" || entry.path().extension() == ".cpp")
      files.push_back(entry.path().lexically_relative(root).generic_string());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(IncludeDirection, EveryFileKeepsToThePicture) {
  const fs::path root = MUSTER_SOURCE_DIR;
  const auto files = source_files(root);
  ASSERT_FALSE(files.empty()) << root;
  std::vector<std::string> wrong;
  for (const auto& file : files)
    for (const auto& included : includes_of(root / file))
      if (!may_include(file, included)) wrong.push_back(file + " includes " + included);
  EXPECT_THAT(wrong, testing::IsEmpty());
}

// The sentence says what the file is for.
TEST(SourceFiles, BeginWithASentence) {
  const fs::path root = MUSTER_SOURCE_DIR;
  for (const auto& file : source_files(root)) {
    std::ifstream in(root / file);
    std::string line;
    std::getline(in, line);
    EXPECT_TRUE(line.starts_with("// ") && line.find(' ', 3) != line.npos) << file << ": " << line;
  }
}

TEST(IncludeDirection, EveryDirectoryIsInThePicture) {
  for (const auto& entry : fs::directory_iterator(MUSTER_SOURCE_DIR)) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(kPicture.contains(entry.path().filename())) << entry.path();
  }
}

TEST(IncludeDirection, EveryFolderOfTheEngineIsInThePicture) {
  for (const auto& entry : fs::directory_iterator(fs::path(MUSTER_SOURCE_DIR) / "engine")) {
    EXPECT_TRUE(entry.is_directory()) << entry.path();
    EXPECT_TRUE(kFolders.contains("engine/" + entry.path().filename().string())) << entry.path();
  }
}

TEST(IncludeDirection, NoTwoModulesPointAtEachOther) {
  for (const auto* picture : {&kPicture, &kFolders})
    for (const auto& [module, allowed] : *picture)
      for (const auto& other : allowed) {
        ASSERT_TRUE(picture->contains(other)) << other;
        EXPECT_FALSE(picture->at(other).contains(module)) << module << " and " << other;
      }
}

TEST(IncludeDirection, KnowsWhatIsForbidden) {
  EXPECT_TRUE(may_include("plugins/min_runtime.cpp", "plugins/min_runtime.hpp"));
  EXPECT_TRUE(may_include("plugins/min_runtime_test.cpp", "plugins/min_runtime.hpp"));
  EXPECT_TRUE(may_include("plugins/registry.cpp", "plugins/min_runtime.hpp"));
  EXPECT_TRUE(may_include("plugins/min_runtime_test.cpp", "tests/test_cluster.hpp"));
  EXPECT_TRUE(may_include("plugins/min_runtime_test.cpp", "plugins/cluster_for_test.hpp"));
  EXPECT_TRUE(may_include("main.cpp", "engine/cycle/session.hpp"));
  EXPECT_TRUE(may_include("plugins/proportion/order.hpp", "plugins/proportion/shares.hpp"));
  EXPECT_FALSE(may_include("plugins/elastic.cpp", "plugins/proportion/shares.hpp"));
  EXPECT_FALSE(may_include("plugins/min_runtime.cpp", "plugins/elastic.hpp"));
  EXPECT_FALSE(may_include("plugins/min_runtime.cpp", "actions/reclaim.hpp"));
  EXPECT_FALSE(may_include("actions/reclaim.cpp", "actions/preempt.hpp"));
  EXPECT_TRUE(may_include("engine/search/solver.hpp", "engine/order/victim_order.hpp"));
  EXPECT_TRUE(may_include("engine/cycle/session.cpp", "engine/place/node_finder.hpp"));
  EXPECT_FALSE(may_include("engine/cycle/session.hpp", "engine/place/node_finder.hpp"));
  EXPECT_FALSE(may_include("engine/order/victim_order.hpp", "engine/search/solver.hpp"));
  EXPECT_FALSE(may_include("model/cluster.cpp", "engine/cycle/session.hpp"));
  EXPECT_FALSE(may_include("engine/cycle/session.cpp", "tests/test_cluster.hpp"));
  EXPECT_FALSE(may_include("plugins/min_runtime.cpp", "plugins/cluster_for_test.hpp"));
  EXPECT_FALSE(may_include("engine/cycle/session.cpp", "sim/clock.hpp"));
  EXPECT_FALSE(may_include("loader/inputs.cpp", "cli/options.hpp"));
  EXPECT_FALSE(may_include("fairshare/fairshare.cpp", "util/id_vector.hpp"));
}

}  // namespace
}  // namespace muster
