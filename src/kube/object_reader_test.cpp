// Lists and events that contain unreadable objects.
#include "kube/object_reader.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "document/json.hpp"
#include "kube/json.hpp"

namespace muster::kube {
namespace {

std::string deep(int levels) {
  std::string text;
  for (int i = 0; i < levels; ++i) text += "{\"a\":";
  return text + "0" + std::string(static_cast<std::size_t>(levels), '}');
}

std::string object(const std::string& name, const std::string& spec) {
  return fmt::format(R"({{"metadata":{{"name":"{}","namespace":"ns","resourceVersion":"5"}},"spec":{}}})",
                     name, spec);
}

std::string described(Json object, bool is_whole) {
  const auto metadata = part_at(object, "metadata");
  return (metadata ? key_of(*metadata) : "?") + (is_whole ? " " : " unread ");
}

std::string read_page(const std::string& items) {
  ObjectReader reader;
  std::string text;
  const auto page = reader.page(
      fmt::format(R"({{"kind":"List","items":[{}],"metadata":{{"continue":"c","resourceVersion":"9"}}}})",
                  items),
      [&](Json object, bool is_whole) { text += described(object, is_whole); });
  return text + (page.is_list ? page.next + page.version : "no list");
}

TEST(ObjectReader, AnUnreadableObjectDoesNotAffectOthers) {
  EXPECT_EQ(read_page(object("a", "{}") + "," + object("b", deep(3))), "ns/a ns/b c9");
  EXPECT_EQ(read_page(object("a", "{}") + "," + object("deep", deep(2000)) + "," + object("b", "1")),
            "ns/a ns/deep unread ns/b c9");
  EXPECT_EQ(read_page(object("large", "100000000000000000000000") + "," + object("b", "1")),
            "ns/large unread ns/b c9");
  EXPECT_EQ(read_page(R"({"metadata":)" + deep(2000) + "}," + object("b", "1")), "? unread ns/b c9");
  EXPECT_EQ(read_page(""), "c9");
}

TEST(ObjectReader, RejectsWhatIsNotAList) {
  ObjectReader reader;
  for (const char* text : {"", "null", "[]", "{}", "{\"items\":[", "{\"metadata\":", "<html>",
                           "{\"metadata\":{},\"items\":[{\"metadata\":{}}"})
    EXPECT_FALSE(reader.page(text, [](Json, bool) {}).is_list) << text;
}

std::string read_event(const std::string& text) {
  ObjectReader reader;
  std::string read;
  const bool is_event = reader.event(text, [&](std::string_view type, Json object, bool is_whole) {
    read = std::string(type) + " " + described(object, is_whole);
  });
  return is_event ? read : "none";
}

TEST(ObjectReader, ReadsTheMetadataOfAnUnreadableEvent) {
  EXPECT_EQ(read_event(R"({"type":"ADDED","object":)" + object("a", "{}") + "}"), "ADDED ns/a ");
  EXPECT_EQ(read_event(R"({"type":"DELETED","object":)" + object("a", deep(2000)) + "}"),
            "DELETED ns/a unread ");
  EXPECT_EQ(read_event(R"({"type":"ADDED"})"), "none");
  EXPECT_EQ(read_event("{\"type\":"), "none");
  EXPECT_EQ(read_event("nonsense"), "none");
}

}  // namespace
}  // namespace muster::kube
