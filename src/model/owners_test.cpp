// Which owner decides for a pod, also if owners are recreated or form a cycle.
#include "model/owners.hpp"

#include <gtest/gtest.h>

#include "model/cluster.hpp"

namespace muster {
namespace {

OwnerObject owner(std::string kind, std::string name, std::string label, OwnerReference above = {}) {
  return {.meta = {.ns = "default", .name = name, .uid = "uid-" + name},
          .has_uid = true,
          .kind = std::move(kind),
          .preemptibility = std::move(label),
          .owner = std::move(above)};
}

std::string text_of(const OwnerTable& table, OwnerId owner) {
  const auto said = table.preemptibility(owner);
  if (!said) return "";
  return *said == Preemptibility::kPreemptible ? "preemptible" : "non-preemptible";
}

TEST(OwnerTable, TheTopOwnerDecides) {
  OwnerTable table;
  const OwnerId pod = table.mention("default", {"ReplicaSet", "web-1", "uid-web-1"});
  EXPECT_EQ(text_of(table, pod), "");
  EXPECT_TRUE(table.apply(owner("ReplicaSet", "web-1", "preemptible", {"Deployment", "web", "uid-web"})));
  EXPECT_EQ(text_of(table, pod), "preemptible") << "the owner is unknown";
  EXPECT_TRUE(table.apply(owner("Deployment", "web", "non-preemptible")));
  EXPECT_EQ(text_of(table, pod), "non-preemptible");
  EXPECT_FALSE(table.apply(owner("Deployment", "web", "non-preemptible"))) << "nothing changed";
  EXPECT_TRUE(table.apply(owner("Deployment", "web", "")));
  EXPECT_EQ(text_of(table, pod), "preemptible") << "from the owner below it";
  EXPECT_TRUE(table.apply(owner("Deployment", "web", "bogus")));
  EXPECT_EQ(text_of(table, pod), "preemptible") << "not a valid value";
  EXPECT_TRUE(table.apply(owner("Deployment", "web", "Non-Preemptible")));
  EXPECT_EQ(text_of(table, pod), "non-preemptible");
  EXPECT_TRUE(table.remove("Deployment", "default", "web"));
  EXPECT_EQ(text_of(table, pod), "preemptible");
}

TEST(OwnerTable, ARecreatedObjectIsADifferentOwner) {
  OwnerTable table;
  table.apply(owner("Job", "a", "preemptible"));
  EXPECT_EQ(text_of(table, table.mention("default", {"Job", "a", "uid-of-the-last-one"})), "");
  EXPECT_EQ(text_of(table, table.mention("default", {"Job", "a", ""})), "preemptible");
  EXPECT_EQ(text_of(table, table.mention("other", {"Job", "a", ""})), "");
  EXPECT_EQ(text_of(table, table.mention("default", {"CronJob", "a", ""})), "");
}

TEST(OwnerTable, CyclesEnd) {
  OwnerTable table;
  table.apply(owner("A", "a", "preemptible", {"B", "b", ""}));
  table.apply(owner("B", "b", "preemptible", {"A", "a", ""}));
  EXPECT_EQ(text_of(table, table.mention("default", {"A", "a", ""})), "preemptible");
}

// Spec, then owner, then pod, then priority, in whatever order the source delivers them.
TEST(Owners, LabelsOfTheTopOwnerComeBeforeThoseOfPods) {
  Cluster cluster;
  cluster.apply(PodObject{.meta = {.ns = "default", .name = "p", .uid = "p"},
                          .pod_group = "job",
                          .preemptibility = "non-preemptible",
                          .owner = {"Job", "a", "uid-a"}});
  PodGroupObject group{.meta = {.ns = "default", .name = "job", .uid = "job"}};
  cluster.apply(PodGroupObject(group));
  cluster.refresh({});
  const Job& job = cluster.job(cluster.find_job("default", "job"));
  EXPECT_EQ(job.preemptibility_source, PreemptibilitySource::kPodLabel);
  cluster.apply(owner("Job", "a", "Semi-Preemptible"));
  cluster.refresh({});
  EXPECT_EQ(job.preemptibility_source, PreemptibilitySource::kOwnerLabel);
  EXPECT_EQ(job.preemptibility, Preemptibility::kSemiPreemptible);
  cluster.apply(owner("Job", "a", "bogus"));
  cluster.refresh({});
  EXPECT_EQ(job.preemptibility, Preemptibility::kNonPreemptible) << "the pod's own";
  group.preemptibility = "preemptible";
  cluster.apply(PodGroupObject(group));
  cluster.refresh({});
  EXPECT_EQ(job.preemptibility, Preemptibility::kPreemptible);
  EXPECT_EQ(job.preemptibility_source, PreemptibilitySource::kSpec);
}

}  // namespace
}  // namespace muster
