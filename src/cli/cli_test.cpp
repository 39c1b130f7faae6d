// Exit codes, help and suggestions of the whole command line.
#include "cli/cli.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/command_for_test.hpp"

namespace muster::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Cli, HelpShowsGroupsAndExamples) {
  const Ran ran = run_muster({"--help"});
  EXPECT_EQ(ran.exit_code, kSuccess);
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, AllOf(HasSubstr("Try a policy on files:\n  simulate"), HasSubstr("Example:")));
  for (const char* command : {"simulate", "validate", "version", "completion"}) {
    const Ran help = run_muster({command, "--help"});
    EXPECT_EQ(help.exit_code, kSuccess);
    EXPECT_THAT(help.out, HasSubstr(std::string("  muster ") + command)) << "an example";
  }
}

TEST(Cli, AllHelpOptionsPrintTheSameText) {
  const std::string all = run_muster({"--help"}).out;
  EXPECT_EQ(run_muster({"-h"}).out, all);
  EXPECT_EQ(run_muster({"help"}).out, all);
  for (const char* command : {"simulate", "validate", "trace", "serve", "version", "completion", "help"}) {
    const Ran help = run_muster({command, "--help"});
    EXPECT_EQ(help.exit_code, kSuccess);
    EXPECT_THAT(help.out, HasSubstr(std::string("Usage: muster ") + command));
    EXPECT_EQ(run_muster({command, "-h"}).out, help.out);
    EXPECT_EQ(run_muster({"help", command}).out, help.out);
  }
}

TEST(Cli, RunsEndBeforeTheYearTenThousand) {
  const TemporaryFiles files;
  const std::string cluster = files.add("c.yaml", node_yaml("n1", 1));
  const auto ran = [&](const char* cycles, const char* interval) {
    return run_muster({"simulate", cluster, "--config", files.add("config.yml", kAllocateOnly), "--now",
                       "9999-12-31T23:00:00Z", "--cycles", cycles, "--interval", interval});
  };
  EXPECT_THAT(ran("2", "59m59s").out, HasSubstr("until 9999-12-31T23:59:59Z"));
  for (const auto& [cycles, interval] : {std::pair("2", "1h"), std::pair("1000000", "2562047h47m16s")}) {
    const Ran late = ran(cycles, interval);
    EXPECT_EQ(late.exit_code, kUsage);
    EXPECT_EQ(late.out, "");
    EXPECT_THAT(late.err, HasSubstr("apart, go beyond the year 9999\n"));
  }
}

TEST(Cli, WrongUsageExitsWithTwoAndSuggests) {
  const struct {
    std::vector<std::string> arguments;
    const char* says;
  } cases[] = {
      {{}, "subcommand is required"},
      {{"simulat", "x"}, "unknown command \"simulat\"; did you mean \"simulate\"?"},
      {{"simulate", "x", "--cycels", "3"}, "unknown option \"--cycels\"; did you mean \"--cycles\"?"},
      {{"simulate", "x", "--strcit"}, "did you mean \"--strict\"?"},
      {{"simulate"}, "FILE is required"},
      {{"simulate", "x", "--cycles", "0"}, "--cycles"},
      {{"simulate", "x", "--cycles", "many"}, "--cycles"},
      {{"simulate", "x", "--now", "noon"}, "--now: \"noon\" is not an RFC 3339 timestamp"},
      {{"simulate", "x", "--interval", "5"}, "--interval: \"5\" is not a duration (e.g. 30s, 1h30m)"},
      {{"simulate", "x", "--interval", "-5s"}, "--interval: \"-5s\" is negative"},
      {{"simulate", "x", "--interval", "3000000h"}, "--interval: \"3000000h\" is not a duration"},
      {{"simulate", "x", "-o", "xml"}, "--output: \"xml\" is invalid; expected one of text, json"},
      {{"help", "simulat"}, "did you mean \"simulate\"?"},
      {{"validate"}, "specify a FILE, or a configuration with --config"},
      {{"completion", "tcsh"}, "SHELL"},
  };
  for (const auto& c : cases) {
    const Ran ran = run_muster(c.arguments);
    EXPECT_EQ(ran.exit_code, kUsage) << c.says;
    EXPECT_EQ(ran.out, "") << c.says;
    EXPECT_THAT(ran.err, HasSubstr(c.says));
  }
}

TEST(Cli, UnreadableFilesExitWithThree) {
  const TemporaryFiles files;
  const std::string good = files.add("good.yaml", node_yaml("n1", 1));
  const std::string missing = files.root() + "/missing.yaml";
  const std::vector<std::vector<std::string>> cases = {
      {missing}, {good, missing}, {good, "--config", missing}, {good, "--usage", missing}};
  for (std::vector<std::string> arguments : cases) {
    arguments.insert(arguments.begin(), "simulate");
    const Ran ran = run_muster(arguments);
    EXPECT_EQ(ran.exit_code, kExternalFailure);
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr("missing.yaml: "));
  }
  EXPECT_EQ(run_muster({"validate", missing}).exit_code, kExternalFailure);
}

TEST(Cli, AFileThatFailsMidwayExitsWithThree) {
  const Ran ran = run_muster({"simulate", "/proc/self/mem"});  // can be opened, but not read from its start
  EXPECT_EQ(ran.exit_code, kExternalFailure);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("error: /proc/self/mem: Input/output error\n"));
  EXPECT_EQ(run_muster({"validate", "/proc/self/mem"}).exit_code, kExternalFailure);
  const TemporaryFiles files;
  const std::string good = files.add("good.yaml", node_yaml("n1", 1));
  EXPECT_EQ(run_muster({"simulate", good, "--config", "/proc/self/mem"}).exit_code, kExternalFailure);
  EXPECT_EQ(run_muster({"simulate", good, "--usage", "/proc/self/mem"}).exit_code, kExternalFailure);
}

TEST(Cli, ADirectoryWithoutPermissionExitsWithThree) {
  const TemporaryFiles files;
  const std::string closed = files.root() + "/closed";
  std::filesystem::create_directory(closed);
  std::filesystem::permissions(files.root(), std::filesystem::perms::others_all,
                               std::filesystem::perm_options::add);
  std::filesystem::permissions(closed, std::filesystem::perms::none);
  const bool is_root = ::geteuid() == 0;
  constexpr uid_t kNobody = 65534;
  ASSERT_TRUE(!is_root || ::seteuid(kNobody) == 0) << "root may read everything";
  const Ran direct = run_muster({"simulate", closed}), above = run_muster({"simulate", files.root()}),
            inside = run_muster({"simulate", closed + "/x.yaml"});
  ASSERT_TRUE(!is_root || ::seteuid(0) == 0);
  for (const Ran& ran : {direct, above, inside}) {
    EXPECT_EQ(ran.exit_code, kExternalFailure);
    EXPECT_THAT(ran.err, HasSubstr(": Permission denied\n"));
  }
}

TEST(Cli, InvalidFilesExitWithOneAndLeaveStandardOutputAlone) {
  const TemporaryFiles files;
  const std::string bad = files.add("bad.yaml", "kind: Pod\napiVersion: v1\nmetadata: {}\n");
  const Ran ran = run_muster({"simulate", bad});
  EXPECT_EQ(ran.exit_code, kNo);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(files.without_root(ran.err), HasSubstr("error: bad.yaml:3: Pod: metadata.name: is missing\n"));
}

TEST(Cli, WarningsStopOnlyAStrictRun) {
  const TemporaryFiles files;
  const std::string orphan =
      files.add("queues.yaml", queue_yaml("a", "b", "quota: 1, limit: -1, overQuotaWeight: 1"));
  EXPECT_EQ(run_muster({"simulate", orphan}).exit_code, kSuccess);
  const Ran strict = run_muster({"simulate", orphan, "--strict"});
  EXPECT_EQ(strict.exit_code, kNo);
  EXPECT_THAT(strict.err,
              HasSubstr("queues.yaml:2: Queue a: spec.parentQueue: parent queue \"b\" does not exist"));
}

TEST(Cli, ReportsSkippedPluginsOnce) {
  const TemporaryFiles files;
  const std::string cluster = files.add(
      "c.yaml", node_yaml("n1", 1) + queue_yaml("q", "", "quota: 1, limit: -1, overQuotaWeight: 1") +
                    job_yaml("j", "q", 1, 1, 1));
  const std::string config =
      files.add("config.yml",
                "actions: allocate\ntiers: [{plugins: [{name: predicates}, {name: proportion}, "
                "{name: snapshot}]}]\n");
  const Ran ran = run_muster({"simulate", cluster, "--config", config, "--cycles", "2"});
  EXPECT_EQ(ran.err, "note: plugin snapshot is not in this version and is skipped\n");
}

TEST(Cli, PastUsageShiftsShares) {
  const TemporaryFiles files;
  std::string cluster = node_yaml("n1", 8);
  for (const char* team : {"busy", "calm"})
    cluster +=
        queue_yaml(team, "", "quota: 0, limit: -1, overQuotaWeight: 1") + job_yaml(team, team, 1, 8, 1);
  const std::string usage = files.add("usage.yaml", "busy: {gpu: 0.75}\ncalm: {gpu: 0.25}\n");
  const Ran ran = run_muster({"simulate", files.add("c.yaml", cluster), "--config",
                              files.add("config.yml", kAllocateOnly), "--usage", usage});
  EXPECT_THAT(ran.out, AllOf(HasSubstr("bound  calm  6 pods"), HasSubstr("bound  busy  2 pods")));
}

TEST(Cli, PastUsageIsChecked) {
  const TemporaryFiles files;
  const std::string cluster = files.add("c.yaml", node_yaml("n1", 8));
  const std::string usage = files.add("usage.yaml", "a:\n  gpu: -1\n  cup: 1\nb: {gpu: much}\n");
  const Ran ran =
      run_muster({"simulate", cluster, "--config", files.add("config.yml", kAllocateOnly), "--usage", usage});
  EXPECT_EQ(ran.exit_code, kNo);
  EXPECT_EQ(files.without_root(ran.err),
            "warning: nothing to schedule: found no PodGroup, workload or pod for this scheduler in these "
            "files\n"
            "warning: usage.yaml: a: this queue does not exist\n"
            "warning: usage.yaml: b: this queue does not exist\n"
            "error: usage.yaml:2: a.gpu: \"-1\" is negative\n"
            "error: usage.yaml:3: a.cup: unknown key; did you mean \"cpu\"?\n"
            "error: usage.yaml:4: b.gpu: \"much\" is not a number\n");
}

TEST(Cli, VersionIsThatOfTheProject) {
  const std::string version = run_muster({"version"}).out;
  EXPECT_THAT(version, testing::MatchesRegex("muster [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  EXPECT_EQ(run_muster({"--version"}).out, version);
  EXPECT_EQ(run_muster({"-V"}).out, version);
  const auto json = nlohmann::json::parse(run_muster({"version", "-o", "json"}).out);
  EXPECT_EQ(json["name"], "muster");
}

TEST(Cli, CompletionKnowsCommandsOptionsAndChoices) {
  const std::string bash = run_muster({"completion", "bash"}).out;
  EXPECT_THAT(
      bash, AllOf(HasSubstr("compgen -W \"simulate validate explain what-if top trace serve snapshot version "
                            "completion help --help --version\""),
                  HasSubstr("simulate:-o|simulate:--output) COMPREPLY=($(compgen -W \"text json\""),
                  HasSubstr("simulate:--config) COMPREPLY=($(compgen -f"),
                  HasSubstr("simulate:--state) COMPREPLY=($(compgen -W \"waiting running "),
                  HasSubstr("simulate:--sort) COMPREPLY=($(compgen -W \"age priority gpus name queue\""),
                  HasSubstr("simulate:-n|simulate:--namespace) COMPREPLY=()"),
                  testing::Not(HasSubstr("simulate:--strict)"))));
  EXPECT_THAT(run_muster({"completion", "zsh"}).out,
              AllOf(StartsWith("#compdef muster\n"),
                    HasSubstr("'--output[How to print the result]:value:(text json)'"),
                    HasSubstr("'--strict[Treat warnings about manifests as errors]'")));
  EXPECT_THAT(run_muster({"completion", "fish"}).out,
              HasSubstr("-n '__fish_seen_subcommand_from simulate' -l config -r -F"));
}

}  // namespace
}  // namespace muster::cli
