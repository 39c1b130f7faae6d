// Shared by the tests of requeue.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "engine/cycle/session.hpp"
#include "tests/test_cluster.hpp"

namespace muster {

// One pod with one GPU each, equal except for their times.
inline const JobSpec kOverdue{.node = "node0", .age = 4h, .expected_runtime = "1h"};
inline const JobSpec kNewer{.node = "node0", .age = 1h};

inline Config with_requeue_arguments(std::map<std::string, std::string> arguments) {
  Config config;
  config.action_arguments["requeue"] = {.name = "requeue", .arguments = std::move(arguments)};
  return config;
}

// A second plugin that nominates: it nominates the job of that name.
inline PluginFactory nominator(const std::string& plugin, const std::string& job) {
  class Nominator final : public Plugin {
   public:
    Nominator(std::string name, std::string victim) : name_(std::move(name)), victim_(std::move(victim)) {}
    void open(Session& s, Hooks& hooks) override {
      hooks.nominate.add([this, &s](RequeueRecord& record) {
        record.nominate(s.cluster.find_job("default", victim_), name_, Duration::zero());
      });
    }

   private:
    std::string name_, victim_;
  };
  return {plugin, [=] { return std::make_unique<Nominator>(plugin, job); }};
}

class RequeueTest : public testing::Test {
 protected:
  const RequeueRecord& record() const { return *c.decisions().requeue; }
  std::string skipped() const {
    std::string text;
    for (const NominationSkip& s : record().skipped) text += (text.empty() ? "" : " ") + s.reason;
    return text;
  }
  std::string nominated() const {
    std::string text;
    for (const Nomination& n : record().nominated)
      text += (text.empty() ? "" : " ") + c.cluster().job(n.job).name;
    return text;
  }
  std::string action_of_first_eviction() const {
    return c.decisions().evictions.empty() ? "" : c.decisions().evictions.front().action;
  }
  void expect_quiet(int cycles, Duration apart = 0s) {
    for (int i = 0; i < cycles; ++i) EXPECT_EQ(c.advance(apart).cycle(), "") << "cycle " << i;
  }
  TestCluster c;
};

}  // namespace muster
