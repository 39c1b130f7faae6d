// Lists, watches and answers to writes may interleave without losing objects or keeping deleted ones.
#include "kube/known_objects.hpp"

#include <gmock/gmock.h>

namespace muster::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(KnownObjectsTest, AListInProgressDoesNotSatisfyANewRequest) {
  KnownObjects known;
  known.begin_list();
  known.want_list();
  EXPECT_THAT(known.end_list(10), IsEmpty());
  EXPECT_TRUE(known.wants_list());
  known.begin_list();
  EXPECT_THAT(known.end_list(11), IsEmpty());
  EXPECT_FALSE(known.wants_list());
}

TEST(KnownObjectsTest, ObjectsMissingFromAListAreGone) {
  KnownObjects known;
  known.begin_list();
  EXPECT_TRUE(known.take_listed("ns/a", 1));
  EXPECT_TRUE(known.take_listed("ns/b", 2));
  EXPECT_THAT(known.end_list(10), IsEmpty());
  known.begin_list();
  EXPECT_FALSE(known.take_listed("ns/b", 2));
  EXPECT_THAT(known.end_list(20), ElementsAre("ns/a"));
}

TEST(KnownObjectsTest, AnAnswerDuringAListIsKeptOnlyIfNewer) {
  KnownObjects known;
  known.begin_list();
  EXPECT_TRUE(known.take("ns/deleted-before-the-list", 5));
  EXPECT_TRUE(known.take("ns/written-after-the-list", 12));
  EXPECT_THAT(known.end_list(10), ElementsAre("ns/deleted-before-the-list"));
  EXPECT_TRUE(known.contains("ns/written-after-the-list")) << "the watch will report later changes";
}

TEST(KnownObjectsTest, AnOlderDeletionIsIgnored) {
  KnownObjects known;
  EXPECT_TRUE(known.take("ns/a", 7));
  EXPECT_FALSE(known.take_deletion("ns/a", 6));
  EXPECT_TRUE(known.take_deletion("ns/a", 8));
  EXPECT_TRUE(known.was_deleted_after("ns/a", 7));
  EXPECT_FALSE(known.was_deleted_after("ns/a", 8));
}

TEST(KnownObjectsTest, RemembersTheLatestDeletions) {
  KnownObjects known;
  const auto key = [](std::uint64_t i) { return "ns/" + std::to_string(i); };
  for (std::uint64_t i = 1; i <= 35'000; ++i) {
    known.take(key(i), i);
    known.take_deletion(key(i), i + 1);
    const std::uint64_t last = i < 10'000 ? 1 : i - 9'999;
    ASSERT_TRUE(known.was_deleted_after(key(last), last)) << last << " after " << i;
  }
}

TEST(KnownObjectsTest, AForgottenVersionIsNewAgainUnlessOlder) {
  KnownObjects known;
  EXPECT_TRUE(known.take("ns/a", 7));
  known.forget_version("ns/a", 6);
  EXPECT_FALSE(known.take("ns/a", 6));
  known.forget_version("ns/a", 7);
  EXPECT_TRUE(known.take("ns/a", 7));
}

}  // namespace
}  // namespace muster::kube
