// Runs a program that prints credentials, and reads its ExecCredential.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

#include "kube/clock.hpp"
#include "kube/credentials.hpp"
#include "kube/json.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX asks for it

namespace muster::kube {
namespace {

std::vector<std::string> environment_for(const ExecPlugin& plugin) {
  std::vector<std::string> all;
  for (char** at = environ; *at != nullptr; ++at) all.emplace_back(*at);
  for (const auto& [name, value] : plugin.environment) all.push_back(fmt::format("{}={}", name, value));
  all.push_back(fmt::format(
      R"(KUBERNETES_EXEC_INFO={{"apiVersion":"{}","kind":"ExecCredential","spec":{{"interactive":false}}}})",
      plugin.api_version));
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

// The output of a program, and whether it is complete.
struct Printed {
  std::string text;
  bool ended = false, is_too_long = false;
};

// Reads until the output ends, is too long, or the time limit is reached.
Printed read_all(int descriptor, const ExecPlugin& plugin, Clock::time_point end) {
  Printed printed;
  char buffer[4096];
  for (;;) {
    pollfd wait{.fd = descriptor, .events = POLLIN, .revents = 0};
    if (::poll(&wait, 1, milliseconds_until(end)) == 0) return printed;
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    printed.ended = count == 0 || (count < 0 && errno != EINTR);
    if (count > 0) printed.text.append(buffer, static_cast<std::size_t>(count));
    printed.is_too_long = printed.text.size() > plugin.longest_output;
    if (printed.ended || printed.is_too_long) return printed;
  }
}

// Returns the exit status. A program that does not end in time is killed with all its children; the result is
// nullopt.
std::optional<int> status_of(pid_t child, Clock::time_point end) {
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() >= end) {
      ::kill(-child, SIGKILL);
      ::waitpid(child, &status, 0);
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return status;
}

// Starts a program in its own process group and with no signals blocked, unlike the threads of muster.
class SpawnAttributes {
 public:
  SpawnAttributes() {
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

// Returns the output of the program. It shares muster's standard error; its standard input is empty.
Result<std::string> output_of(const ExecPlugin& plugin) {
  std::vector<std::string> words = {plugin.command}, variables = environment_for(plugin);
  words.insert(words.end(), plugin.arguments.begin(), plugin.arguments.end());
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) return Error{std::generic_category().message(errno)};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, plugin.command.c_str(), &actions, SpawnAttributes().get(),
                                     pointers_to(words).data(), pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe_ends[1]);
  const auto end = Clock::now() + plugin.time_limit;
  Printed printed = failure == 0 ? read_all(pipe_ends[0], plugin, end) : Printed{};
  ::close(pipe_ends[0]);
  if (failure != 0)
    return Error{fmt::format("{}: {}", plugin.command, std::generic_category().message(failure))};
  const auto status = status_of(child, printed.ended ? end : Clock::now());
  if (printed.is_too_long)
    return Error{fmt::format("{}: the credential program printed more than {} bytes and was killed",
                             plugin.command, plugin.longest_output)};
  if (!printed.ended || !status)
    return Error{fmt::format("{}: the credential program did not end within {} s and was killed",
                             plugin.command, std::chrono::duration<double>(plugin.time_limit).count())};
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0)
    return Error{fmt::format("{}: the credential program failed", plugin.command)};
  return std::move(printed.text);
}

}  // namespace

Result<ExecCredential> parse_exec_credential(std::string_view text) {
  simdjson::dom::parser parser;
  Json root;
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS || !root.is_object())
    return Error{"the credential program did not print JSON"};
  const auto status = part_at(root, "status");
  if (text_at(root, "kind") != "ExecCredential" || !status)
    return Error{"the credential program did not print an ExecCredential with a status"};
  ExecCredential credential{.token = std::string(text_at(*status, "token")),
                            .certificate = std::string(text_at(*status, "clientCertificateData")),
                            .key = std::string(text_at(*status, "clientKeyData")),
                            .expires = parse_time(text_at(*status, "expirationTimestamp"))};
  if (credential.token.empty() && credential.certificate.empty())
    return Error{"the credential program returned neither a token nor a certificate"};
  return credential;
}

Result<ExecCredential> run_exec_plugin(const ExecPlugin& plugin) {
  const auto text = output_of(plugin);
  if (!text) return text.error();
  return parse_exec_credential(*text);
}

}  // namespace muster::kube
