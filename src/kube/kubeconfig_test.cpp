// Reading kubeconfig files and the output of credential programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kube/clock.hpp"
#include "kube/credentials.hpp"

namespace muster::kube {
namespace {

using testing::HasSubstr;

const std::string kStart = R"(
apiVersion: v1
kind: Config
current-context: lab
contexts:
- {name: lab, context: {cluster: lab, user: me}}
- {name: other, context: {cluster: gone, user: me}}
clusters:
- name: lab
  cluster: {server: "https://10.0.0.1:6443/", certificate-authority-data: Y2E=}
)";

Result<Credentials> read(const std::string& users, const std::string& context = "") {
  return parse_kubeconfig("config", kStart + users, context);
}

TEST(Kubeconfig, Token) {
  const auto credentials = read("users: [{name: me, user: {token: secret}}]");
  ASSERT_TRUE(credentials) << credentials.error().text();
  EXPECT_EQ(credentials->server, "https://10.0.0.1:6443");
  EXPECT_EQ(credentials->tls.authority, "ca");
  EXPECT_EQ(credentials->token, "secret");
}

TEST(Kubeconfig, ClientCertificate) {
  const auto credentials =
      read("users: [{name: me, user: {client-certificate-data: Y2VydA==, client-key-data: a2V5}}]");
  ASSERT_TRUE(credentials);
  EXPECT_EQ(credentials->tls.certificate, "cert");
  EXPECT_EQ(credentials->tls.key, "key");
}

TEST(Kubeconfig, TokenFileIsLookedUpBesideTheFile) {
  const auto credentials =
      parse_kubeconfig("/etc/kube/config", kStart + "users: [{name: me, user: {tokenFile: tok}}]", "");
  ASSERT_TRUE(credentials);
  EXPECT_EQ(credentials->token_file, "/etc/kube/tok");
}

TEST(Kubeconfig, ExecPlugin) {
  const auto credentials = read(R"(
users:
- name: me
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: aws
      args: [eks, get-token]
      env: [{name: REGION, value: eu}]
)");
  ASSERT_TRUE(credentials);
  EXPECT_EQ(credentials->exec.command, "aws");
  EXPECT_THAT(credentials->exec.arguments, testing::ElementsAre("eks", "get-token"));
  EXPECT_EQ(credentials->exec.environment.at("REGION"), "eu");
}

std::string problem(const std::string& users, const std::string& context = "") {
  const auto credentials = read(users, context);
  return credentials ? "" : credentials.error().text();
}

TEST(Kubeconfig, ReportsMistakes) {
  EXPECT_THAT(problem("users: []"), HasSubstr("users: has no user \"me\""));
  EXPECT_THAT(problem("users: []", "nowhere"), HasSubstr("contexts: has no context \"nowhere\""));
  EXPECT_THAT(problem("users: []", "other"), HasSubstr("clusters: has no cluster \"gone\""));
  EXPECT_THAT(problem("users: [{name: me, user: {client-key-data: '!'}}]"),
              HasSubstr("client-key-data: is not base64"));
  EXPECT_THAT(problem("users: [{name: me, user: {username: x}}]"), HasSubstr("username: is not supported"));
}

TEST(Kubeconfig, RequiresAContext) {
  const auto credentials = parse_kubeconfig("config", "{\"contexts\": []}", "");
  ASSERT_FALSE(credentials);
  EXPECT_THAT(credentials.error().text(), HasSubstr("current-context: is not set; choose a context"));
}

TEST(Kubeconfig, TheServerIsAlwaysVerified) {
  const std::string text =
      R"({"current-context": "x", "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
    "clusters": [{"name": "c", "cluster": {"server": "https://a", "insecure-skip-tls-verify": true}}],
    "users": [{"name": "u", "user": {}}]})";
  const auto credentials = parse_kubeconfig("config", text, "");
  ASSERT_FALSE(credentials);
  EXPECT_THAT(credentials.error().text(), HasSubstr("always verifies"));
}

TEST(Kubeconfig, AnyTextIsReadOrRefused) {
  const std::string whole = kStart + "users: [{name: me, user: {token: secret}}]";
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    static_cast<void>(parse_kubeconfig("config", whole.substr(0, cut), ""));
    std::string changed = whole;
    for (const char c : {'{', '"', '\0', '\xff', '-'}) {
      changed[cut] = c;
      static_cast<void>(parse_kubeconfig("config", changed, ""));
    }
  }
}

TEST(ExecPlugin, Token) {
  const auto credential = parse_exec_credential(
      R"({"kind":"ExecCredential","status":{"token":"t","expirationTimestamp":"2026-01-01T00:00:00Z"}})");
  ASSERT_TRUE(credential);
  EXPECT_EQ(credential->token, "t");
  EXPECT_EQ(credential->expires, parse_time("2026-01-01T00:00:00Z"));
}

TEST(ExecPlugin, RejectsOutputWithoutACredential) {
  EXPECT_FALSE(parse_exec_credential("hello"));
  EXPECT_FALSE(parse_exec_credential(R"({"kind":"ExecCredential"})"));
  EXPECT_FALSE(parse_exec_credential(R"({"kind":"ExecCredential","status":{}})"));
}

TEST(ExecPlugin, RunsTheProgram) {
  const ExecPlugin plugin{
      .command = "sh",
      .api_version = "client.authentication.k8s.io/v1",
      .arguments = {"-c", R"(echo '{"kind":"ExecCredential","status":{"token":"'"$WORD"'"}}')"},
      .environment = {{"WORD", "from-env"}}};
  const auto credential = run_exec_plugin(plugin);
  ASSERT_TRUE(credential) << credential.error().text();
  EXPECT_EQ(credential->token, "from-env");
}

TEST(ExecPlugin, AProgramThatFailsIsAnError) {
  EXPECT_FALSE(run_exec_plugin({.command = "false"}));
  EXPECT_FALSE(run_exec_plugin({.command = "/nowhere/program"}));
}

TEST(Base64, Decodes) {
  EXPECT_EQ(decode_base64(""), "");
  EXPECT_EQ(decode_base64("Zg=="), "f");
  EXPECT_EQ(decode_base64("Zm8="), "fo");
  EXPECT_EQ(decode_base64("Zm9v"), "foo");
  EXPECT_EQ(decode_base64("Zm9v\nYmFy"), "foobar");
  EXPECT_EQ(decode_base64("//79+A=="), "\xff\xfe\xfd\xf8");
}

TEST(Base64, RejectsInvalidText) {
  EXPECT_FALSE(decode_base64("Zm9"));
  EXPECT_FALSE(decode_base64("Zm9v!"));
  EXPECT_FALSE(decode_base64("Z==="));
  EXPECT_FALSE(decode_base64("=Zm9"));
}

TEST(Kubeconfig, ServerNameAndProxy) {
  const auto credentials = parse_kubeconfig("config", R"(
current-context: lab
contexts: [{name: lab, context: {cluster: lab, user: me}}]
clusters:
- {name: lab, cluster: {server: "https://10.0.0.1", tls-server-name: api.lab, proxy-url: "http://gate:3128"}}
users: [{name: me, user: {token: secret}}]
)",
                                            "");
  ASSERT_TRUE(credentials) << credentials.error().text();
  EXPECT_EQ(credentials->tls.server_name, "api.lab");
  EXPECT_EQ(credentials->tls.proxy, "http://gate:3128");
}

TEST(ExecPlugin, KillsAProgramThatDoesNotEnd) {
  const auto start = Clock::now();
  for (const char* program : {"sleep 60", "exec >&-; sleep 60"}) {
    const ExecPlugin plugin{
        .command = "sh", .arguments = {"-c", program}, .time_limit = std::chrono::milliseconds(100)};
    const auto credential = run_exec_plugin(plugin);
    ASSERT_FALSE(credential);
    EXPECT_EQ(credential.error().text(),
              "sh: the credential program did not end within 0.1 s and was killed");
  }
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(20));
}

TEST(ExecPlugin, KillsTheChildrenOfTheProgram) {
  const std::string file = testing::TempDir() + "started-" + std::to_string(getpid());
  const ExecPlugin plugin{.command = "sh",
                          .arguments = {"-c", "sleep 60 & echo $! > " + file + "; wait"},
                          .time_limit = std::chrono::milliseconds(500)};
  ASSERT_FALSE(run_exec_plugin(plugin));
  pid_t started = 0;
  ASSERT_TRUE(std::ifstream(file) >> started);
  std::filesystem::remove(file);
  const auto is_there = [&] {
    std::string pid, name, state;
    return std::ifstream("/proc/" + std::to_string(started) + "/stat") >> pid >> name >> state &&
           state != "Z";
  };
  for (const auto start = Clock::now(); is_there();)
    ASSERT_LT(Clock::now() - start, std::chrono::seconds(20)) << "still running";
}

class Files : public testing::Test {
 protected:
  Files() : directory_(testing::TempDir() + "kubeconfigs-" + std::to_string(getpid()) + "/") {
    std::filesystem::create_directories(directory_);
  }
  ~Files() override {
    unsetenv("KUBECONFIG");
    std::filesystem::remove_all(directory_);
  }
  std::string write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(directory_ + name).parent_path());
    std::ofstream(directory_ + name) << text;
    return directory_ + name;
  }
  const std::string directory_;
};

TEST_F(Files, SeveralAreMergedAndTheFirstWins) {
  const std::string first = write("a/config", R"(
current-context: lab
contexts: [{name: lab, context: {cluster: lab, user: me}}]
users: [{name: me, user: {token: first}}]
)");
  const std::string second = write("b/config", R"(
current-context: other
users: [{name: me, user: {token: second}}]
clusters: [{name: lab, cluster: {server: "https://10.0.0.1", certificate-authority: ca.crt}}]
)");
  write("b/ca.crt", "authority");
  setenv("KUBECONFIG", (directory_ + "none:" + first + "::" + second).c_str(), 1);
  const auto credentials = read_kubeconfig("");
  ASSERT_TRUE(credentials) << credentials.error().text();
  EXPECT_EQ(credentials->token, "first");
  EXPECT_EQ(credentials->server, "https://10.0.0.1");
  EXPECT_EQ(credentials->tls.authority, "authority");
  EXPECT_EQ(credentials->files.authority, directory_ + "b/ca.crt");
}

TEST_F(Files, IfNoneExistsTheErrorNamesTheLast) {
  setenv("KUBECONFIG", (directory_ + "one:" + directory_ + "two").c_str(), 1);
  const auto credentials = read_kubeconfig("");
  ASSERT_FALSE(credentials);
  EXPECT_THAT(credentials.error().text(), HasSubstr(directory_ + "two"));
}

TEST_F(Files, CertificatesAreReadAgain) {
  const IdentityFiles files{
      .authority = write("ca.crt", "old"), .certificate = "", .key = directory_ + "none"};
  TlsIdentity tls{.authority = "", .certificate = "kept", .key = "kept"};
  EXPECT_TRUE(read_again(files, tls));
  EXPECT_EQ(tls.authority, "old");
  write("ca.crt", "new");
  EXPECT_THAT(read_again(files, tls)->text(), HasSubstr(directory_ + "none"));
  EXPECT_EQ(tls.authority, "new");
  EXPECT_EQ(tls.certificate, "kept");
  EXPECT_EQ(tls.key, "kept");
}

}  // namespace
}  // namespace muster::kube
