// Runs the command line in a test, on files in a directory that is deleted with the fixture.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/cli.hpp"

namespace muster::cli {

struct Ran {
  int exit_code = 0;
  std::string out, err;
};

inline Ran run_muster(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "muster");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ran ran{.exit_code = run(static_cast<int>(arguments.size()), argv.data())};
  ran.out = testing::internal::GetCapturedStdout();
  ran.err = testing::internal::GetCapturedStderr();
  return ran;
}

// A temporary directory of its own, because tests run in parallel processes.
class TemporaryFiles {
 public:
  TemporaryFiles() {
    std::string pattern = (std::filesystem::temp_directory_path() / "muster-test-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFiles() { std::filesystem::remove_all(root_); }
  TemporaryFiles(const TemporaryFiles&) = delete;
  TemporaryFiles& operator=(const TemporaryFiles&) = delete;

  // Writes a file and returns its path.
  std::string add(const std::string& name, const std::string& text) const {
    const std::string path = (root_ / name).string();
    std::ofstream(path) << text;
    return path;
  }
  std::string root() const { return root_.string(); }
  // Removes the path of the directory from the text so that it can be compared.
  std::string without_root(std::string text) const {
    const std::string prefix = root() + "/";
    for (std::size_t at = 0; (at = text.find(prefix)) != std::string::npos;) text.erase(at, prefix.size());
    return text;
  }

 private:
  std::filesystem::path root_;
};

// A small fixed policy, so that new actions and plugins do not change the results.
inline constexpr const char* kAllocateOnly = R"(
actions: allocate
tiers:
- plugins: [{name: predicates}, {name: proportion}, {name: priority}, {name: nodeplacement}]
)";

// ---- objects as one line of YAML each

inline constexpr const char* kUnbounded = "quota: -1, limit: -1, overQuotaWeight: 1";
inline const std::string kTeam = "labels: {kai.scheduler/queue: team}";

inline std::string node_yaml(const std::string& name, int gpus) {
  return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name +
         "}, status: {allocatable: {cpu: \"64\", memory: 512Gi, nvidia.com/gpu: \"" + std::to_string(gpus) +
         "\", pods: \"110\"}}}\n";
}

// `gpu` is, for example, "quota: 4, limit: -1, overQuotaWeight: 1".
inline std::string queue_yaml(const std::string& name, const std::string& parent, const std::string& gpu,
                              const std::string& more = "") {
  const std::string unbounded = std::string("{") + kUnbounded + "}";
  return "---\n{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: " + name + "}, spec: {" +
         (parent.empty() ? "" : "parentQueue: " + parent + ", ") + more + "resources: {gpu: {" + gpu +
         "}, cpu: " + unbounded + ", memory: " + unbounded + "}}}\n";
}

inline std::string group_yaml(const std::string& name, const std::string& queue, int minimum) {
  return "---\n{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: " + name +
         "}, spec: {queue: " + queue + ", minMember: " + std::to_string(minimum) + "}}\n";
}

inline std::string pod_yaml(const std::string& name, const std::string& group, int gpus) {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name +
         ", annotations: {pod-group-name: " + group +
         "}}, spec: {schedulerName: kai-scheduler, containers: [{name: main, resources: {requests: " +
         "{cpu: \"1\", memory: 1Gi, nvidia.com/gpu: \"" + std::to_string(gpus) + "\"}}}]}}\n";
}

// A PodGroup and its pods.
inline std::string job_yaml(const std::string& name, const std::string& queue, int minimum, int pods,
                            int gpus) {
  std::string text = group_yaml(name, queue, minimum);
  for (int i = 0; i < pods; ++i) text += pod_yaml(name + "-" + std::to_string(i), name, gpus);
  return text;
}

}  // namespace muster::cli
