// Compressed files give the documents they were made from; damaged ones give a message, whatever the damage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "document/json.hpp"
#include "document/texts.hpp"

namespace muster {
namespace {

using testing::HasSubstr;

constexpr const char* kPodA = "a@1\n";
constexpr const char* kPodB = "b@1\n";

std::string fixture(const std::string& name) { return std::string(MUSTER_ARCHIVES) + "/" + name; }

std::string bytes_in(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// One line per document, "name@line", and per error, with the file's name in place of its path.
class Archives : public testing::Test {
 protected:
  std::string read(const std::string& path, const UnpackLimits& limits = {}) {
    std::string lines;
    const auto use = [&](const Document& document) {
      std::string_view name;
      if (document.root().at_pointer("/metadata/name").get(name)) name = "?";
      lines += std::string(name) + "@" + std::to_string(document.line_of("")) + "\n";
    };
    const auto fail = [&](const Error& error) { lines += error.text().substr(path.rfind('/') + 1) + "\n"; };
    for_each_text(
        path, [&](NamedText text) { read_documents_of(std::move(text), use, fail); }, fail, limits);
    return lines;
  }
  std::string of(const std::string& name, const UnpackLimits& limits = {}) {
    return read(fixture(name), limits);
  }
  std::string of_bytes(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return read(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  const std::string path_ =
      testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(Archives, AreReadAsWhatTheyWereMadeFrom) {
  EXPECT_EQ(of("a.yaml.gz"), kPodA);
  EXPECT_EQ(of("a.yaml.zst"), kPodA);
  EXPECT_EQ(of("several.zip"), std::string(kPodA) + kPodB) << "without notes.txt and what macOS leaves";
  EXPECT_EQ(of("streamed.zip"), kPodB);
}

TEST_F(Archives, MayHaveSeveralMembers) {
  const std::string two = std::string(kPodB) + "b@2\n";
  EXPECT_EQ(of("members.json.gz"), two);
  EXPECT_EQ(of("padded.json.gz"), two);
  EXPECT_EQ(of("frames.json.zst"), two) << "behind a frame to be skipped";
}

TEST_F(Archives, AreToldByTheirFirstBytes) {
  EXPECT_EQ(of_bytes(bytes_in(fixture("a.yaml.gz"))), kPodA);
  EXPECT_EQ(of_bytes(bytes_in(fixture("several.zip"))), std::string(kPodA) + kPodB);
}

TEST_F(Archives, AreNamedInMessages) {
  const auto names = [](const std::string& file) {
    std::string all;
    for_each_text(
        fixture(file), [&](const NamedText& text) { all += text.name + "\n"; },
        [](const Error& error) { FAIL() << error.text(); });
    return all;
  };
  EXPECT_EQ(names("several.zip"), fixture("several.zip:a.yaml\n") + fixture("several.zip:b.json\n"));
  EXPECT_EQ(names("a.yaml.gz"), fixture("a.yaml.gz\n"));
}

TEST_F(Archives, AreRefusedWithAReason) {
  EXPECT_EQ(of("encrypted.zip"),
            "encrypted.zip:a.yaml: is encrypted; unpack it first\n" + std::string(kPodB));
  EXPECT_EQ(of("bzipped.zip"),
            "bzipped.zip:a.yaml: is compressed in a way that is not read (method 12); unpack it first\n"
            "bzipped.zip:b.json: is compressed in a way that is not read (method 12); unpack it first\n");
  EXPECT_EQ(of("nested.zip"),
            "nested.zip:inner.yaml.gz: is packed twice; unpack it once first\n" + std::string(kPodB));
  EXPECT_EQ(of("twice.yaml.gz"), "twice.yaml.gz: is packed twice; unpack it once first\n");
  EXPECT_EQ(of("tar.yaml.gz"), "tar.yaml.gz: holds a tar archive, which is not read; unpack it first\n");
  EXPECT_EQ(of("a.yaml.xz"), "a.yaml.xz: is a xz archive, which is not read; unpack it first\n");
  EXPECT_EQ(of("other.zip"), "other.zip: is a zip archive without a *.json, *.yaml or *.yml file\n");
  EXPECT_EQ(of("empty.zip"), "empty.zip: is a zip archive without a *.json, *.yaml or *.yml file\n");
}

TEST_F(Archives, MayNotUnpackToMoreThanTheLimit) {
  const auto at_most = [](std::size_t bytes) {
    return UnpackLimits{.always = bytes, .times = 1, .most = bytes};
  };
  for (const char* name : {"a.yaml.gz", "a.yaml.zst", "streamed.zip"})
    EXPECT_EQ(of(name, at_most(100)),
              std::string(name) +
                  ": unpacks to more than 100 bytes, and so much is not unpacked here; if that is its size, "
                  "unpack it first\n");
  EXPECT_THAT(of("several.zip", at_most(300)), HasSubstr("several.zip: unpacks to more than 300 bytes"))
      << "of all entries together";
}

TEST(UnpackLimits, GrowWithThePackedSizeUpToABound) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  const UnpackLimits limits;
  EXPECT_EQ(limits.of(42'000), 1024 * kMiB);
  EXPECT_EQ(limits.of(20 * kMiB), 2000 * kMiB);
  EXPECT_EQ(limits.of(100 * kMiB), 8192 * kMiB);
  EXPECT_EQ(limits.of(SIZE_MAX), 8192 * kMiB);
  EXPECT_THAT(more_than(limits.of(1)), HasSubstr("more than 1 GiB, "));
  EXPECT_THAT(more_than(limits.of(20 * kMiB)), HasSubstr("more than 2.0 GiB, "));
}

// A thousand times as much as it was packed from: what fits below `always` is read.
TEST_F(Archives, OfNothingButBlanksAreRefusedByTheirRatio) {
  const std::string bomb = bytes_in(fixture("blanks.yaml.gz"));
  const std::size_t packed = bomb.size();
  EXPECT_THAT(of("blanks.yaml.gz", {.always = 1000, .times = 100}), HasSubstr("unpacks to more than "));
  EXPECT_EQ(of("blanks.yaml.gz", {.always = 2000 * packed, .times = 100}), kPodA);
}

TEST_F(Archives, ThatEndTooEarlyAreIncomplete) {
  for (const char* name : {"a.yaml.gz", "a.yaml.zst", "frames.json.zst", "members.json.gz"}) {
    const std::string whole = bytes_in(fixture(name));
    EXPECT_THAT(of_bytes(whole.substr(0, whole.size() - 5)),
                HasSubstr("is incomplete: it ends in the middle"))
        << name;
  }
  const std::string zip = bytes_in(fixture("several.zip"));
  EXPECT_THAT(of_bytes(zip.substr(0, zip.size() / 2)), HasSubstr("is damaged or incomplete"));
}

TEST_F(Archives, WithOtherBytesBehindThemAreDamaged) {
  EXPECT_THAT(of_bytes(bytes_in(fixture("a.yaml.gz")) + "rest"),
              HasSubstr("can not be unpacked: incorrect header check"));
  EXPECT_THAT(of_bytes(bytes_in(fixture("a.yaml.zst")) + "rest"), HasSubstr("can not be unpacked"));
}

std::vector<std::string> damaged(const std::string& whole) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    all.push_back(whole.substr(0, i));
    for (const int change : {0x01, 0xff}) {
      all.push_back(whole);
      all.back()[i] = static_cast<char>(whole[i] ^ change);
    }
  }
  return all;
}

// Every prefix, and every byte changed: the documents of before, the first of them, a message, or (where the
// first bytes are gone) text that is no object.
TEST_F(Archives, SayWhereTheyAreDamaged) {
  for (const char* name : {"members.json.gz", "frames.json.zst"}) {
    const std::string before = of(name);
    for (const std::string& bytes : damaged(bytes_in(fixture(name)))) {
      const std::string after = of_bytes(bytes);
      EXPECT_TRUE(before.starts_with(after) || after.find_first_of(":?") != std::string::npos) << after;
    }
  }
}

// Names of entries have no checksum, so that an entry may be overlooked.
TEST_F(Archives, SurviveDamage) {
  for (const std::string& bytes : damaged(bytes_in(fixture("streamed.zip")))) of_bytes(bytes);
}

TEST_F(Archives, GiveAZipEntryWithAWrongChecksumAMessage) {
  std::string zip = bytes_in(fixture("streamed.zip"));
  const std::size_t directory = zip.find("PK\x01\x02");
  zip[directory + 16] = static_cast<char>(zip[directory + 16] ^ 1);
  EXPECT_THAT(of_bytes(zip), HasSubstr(":snapshot.json: is damaged"));
}

TEST(FilesBelowDirectories, TakeArchives) {
  const auto files = files_below(MUSTER_ARCHIVES);
  ASSERT_TRUE(files);
  std::string names;
  for (const std::string& file : *files) names += file.substr(file.rfind('/') + 1) + " ";
  EXPECT_EQ(names,
            "a.yaml.gz a.yaml.zst blanks.yaml.gz bzipped.zip empty.zip encrypted.zip frames.json.zst "
            "members.json.gz "
            "nested.zip other.zip padded.json.gz several.zip streamed.zip tar.yaml.gz twice.yaml.gz ");
}

}  // namespace
}  // namespace muster
