// Shared by property tests: random clusters for rapidcheck, and a view of a cycle before it is closed.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/cycle/run_cycle.hpp"
#include "engine/cycle/session.hpp"
#include "tests/random_cluster.hpp"

namespace muster {

using Numbers = std::vector<std::uint64_t>;

inline rc::Gen<std::uint64_t> any_number() {
  return rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>());
}
inline rc::Gen<Numbers> numbers_up_to(int count) {
  return rc::gen::resize(count, rc::gen::container<Numbers>(any_number()));
}
inline rc::Gen<RandomCluster> any_cluster() {
  return rc::gen::build<RandomCluster>(rc::gen::set(&RandomCluster::nodes, numbers_up_to(8)),
                                       rc::gen::set(&RandomCluster::queues, numbers_up_to(5)),
                                       rc::gen::set(&RandomCluster::jobs, numbers_up_to(12)),
                                       rc::gen::set(&RandomCluster::foreign, numbers_up_to(3)));
}

// This many random clusters; RC_PARAMS="seed=..." repeats a run.
template <class Property>
void check_clusters(int clusters, const Property& property) {
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = clusters;
  const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata(), params);
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << text.str();
}

// The last action of a cycle: examines what the other actions did before the cycle is closed.
class Look final : public Action {
 public:
  explicit Look(std::function<void(const Cluster&)> look) : look_(std::move(look)) {}
  std::string name() const override { return "look"; }
  void run(Session& session) override { look_(session.cluster); }

 private:
  std::function<void(const Cluster&)> look_;
};

inline void in_cycle(Cluster& cluster, Policy policy, std::function<void(const Cluster&)> look) {
  policy.actions.push_back(std::make_shared<Look>(std::move(look)));
  run_cycle(cluster, policy, random_cluster_now());
}

}  // namespace muster
