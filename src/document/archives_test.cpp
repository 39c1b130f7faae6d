// Compressed files give the documents they were made from. Damaged files give a message, whatever the damage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <new>
#include <stdexcept>

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

// Lists one line per document, "name@line", and one per error, with file names instead of paths.
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

TEST_F(Archives, GiveTheOriginalDocuments) {
  EXPECT_EQ(of("a.yaml.gz"), kPodA);
  EXPECT_EQ(of("a.yaml.zst"), kPodA);
  EXPECT_EQ(of("several.zip"), std::string(kPodA) + kPodB)
      << "without notes.txt and the files that macOS adds";
  EXPECT_EQ(of("streamed.zip"), kPodB);
}

TEST_F(Archives, MayHaveSeveralMembers) {
  const std::string two = std::string(kPodB) + "b@2\n";
  EXPECT_EQ(of("members.json.gz"), two);
  EXPECT_EQ(of("padded.json.gz"), two);
  EXPECT_EQ(of("frames.json.zst"), two) << "after a skippable frame";
}

TEST_F(Archives, AreRecognizedByTheirFirstBytes) {
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
            "bzipped.zip:a.yaml: uses compression method 12, which is not supported; unpack it first\n"
            "bzipped.zip:b.json: uses compression method 12, which is not supported; unpack it first\n");
  EXPECT_EQ(of("nested.zip"),
            "nested.zip:inner.yaml.gz: is compressed twice; unpack it once first\n" + std::string(kPodB));
  EXPECT_EQ(of("twice.yaml.gz"), "twice.yaml.gz: is compressed twice; unpack it once first\n");
  EXPECT_EQ(of("tar.yaml.gz"), "tar.yaml.gz: contains tar data, which is not supported; unpack it first\n");
  EXPECT_EQ(of("a.yaml.xz"), "a.yaml.xz: xz files are not supported; unpack it first\n");
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
                  ": unpacks to more than 100 bytes, the limit for its compressed size; if that is expected, "
                  "unpack it first\n");
  EXPECT_THAT(of("several.zip", at_most(300)), HasSubstr("several.zip: unpacks to more than 300 bytes"))
      << "of all entries together";
}

// ---- archives built to take excessive time

std::string bytes_of(std::initializer_list<std::pair<std::uint64_t, int>> numbers) {
  std::string bytes;
  for (const auto& [number, size] : numbers)
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(number >> (8 * i));
  return bytes;
}

struct ZipEntry {
  std::string name, stored;
  std::uint32_t checksum = 0;  // 0: that of an empty file
};

// The header before an entry's bytes and, with the position of the entry, its record in the directory.
std::string entry_facts(const ZipEntry& e) {
  return bytes_of({{20, 2},
                   {0, 2},
                   {0, 2},
                   {0, 4},
                   {e.checksum, 4},
                   {e.stored.size(), 4},
                   {e.stored.size(), 4},
                   {e.name.size(), 2},
                   {0, 2}});
}
std::string local_entry(const ZipEntry& e) { return "PK\x03\x04" + entry_facts(e) + e.name + e.stored; }
std::string directory_entry(const ZipEntry& e, std::size_t at) {
  return "PK\x01\x02" + bytes_of({{20, 2}}) + entry_facts(e) +
         bytes_of({{0, 2}, {0, 2}, {0, 2}, {0, 4}, {at, 4}}) + e.name;
}
std::string zip_of(const std::string& entries, const std::string& directory, std::size_t count) {
  const std::size_t counted = std::min<std::size_t>(count, 0xffff);
  return entries + directory + "PK\x05\x06" +
         bytes_of({{0, 4}, {counted, 2}, {counted, 2}, {directory.size(), 4}, {entries.size(), 4}, {0, 2}});
}
std::string zip_of(const std::vector<ZipEntry>& entries) {
  std::string body, directory;
  for (const ZipEntry& e : entries) {
    directory += directory_entry(e, body.size());
    body += local_entry(e);
  }
  return zip_of(body, directory, entries.size());
}
std::vector<ZipEntry> empty_entries(std::size_t count) {
  std::vector<ZipEntry> entries;
  for (std::size_t i = 0; i < count; ++i) entries.push_back({std::to_string(i) + ".yaml", ""});
  return entries;
}

TEST_F(Archives, WithOverlappingEntriesAreRefused) {
  const ZipEntry empty{"a.yaml", ""}, other{"b.yaml", ""};
  EXPECT_EQ(of_bytes(zip_of({empty, other})), "");
  const std::string directory = directory_entry(empty, 0) + directory_entry(empty, 0);
  EXPECT_THAT(of_bytes(zip_of(local_entry(empty), directory, 2)),
              HasSubstr(": is refused because its files overlap (\"a.yaml\" and an earlier one)\n"))
      << "the same bytes used twice";
  // The second entry is the content of the first one.
  const ZipEntry outer{"c.yaml", local_entry(other), 1};
  const std::size_t inner = local_entry(outer).size() - outer.stored.size();
  for (const bool inner_first : {false, true}) {
    const std::string first = directory_entry(outer, 0), second = directory_entry(other, inner);
    EXPECT_THAT(of_bytes(zip_of(local_entry(outer), inner_first ? second + first : first + second, 2)),
                HasSubstr("its files overlap"));
  }
}

TEST_F(Archives, MayContainManyEntriesUpToALimit) {
  const auto lines_of = [&](std::size_t count, std::size_t most) {
    std::ofstream(path_, std::ios::binary) << zip_of(empty_entries(count));
    return read(path_, {.entries = most});
  };
  EXPECT_EQ(lines_of(20, 20), "");
  EXPECT_THAT(
      lines_of(1021, 1020),
      HasSubstr(": contains 1,021 files, but at most 1,020 per archive are supported; unpack it first\n"));
  EXPECT_THAT(lines_of(70'000, 66'000), HasSubstr(": contains 66,001 files, but at most 66,000"))
      << "more than the directory can state";
}

// A damaged entry takes as long to unpack as an intact one.
TEST_F(Archives, CountTheSizeOfDamagedEntries) {
  std::vector<ZipEntry> entries;
  for (int i = 0; i < 20; ++i) entries.push_back({std::to_string(i) + ".yaml", std::string(100, ' '), 1});
  std::ofstream(path_, std::ios::binary) << zip_of(entries);
  const std::string lines = read(path_, {.always = 1050, .times = 1, .most = 1050});
  EXPECT_THAT(lines, HasSubstr(":9.yaml: is damaged: its checksum is wrong\n"));
  EXPECT_THAT(lines, testing::EndsWith(": unpacks to more than 1050 bytes, the limit for its compressed "
                                       "size; if that is expected, unpack it first\n"));
  EXPECT_THAT(lines, testing::Not(HasSubstr(":10.yaml")));
}

// The memory that the process has allocated, in bytes.
std::size_t allocated_memory() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * 4096;
}

TEST_F(Archives, UseNoMoreMemoryThanTheirEntriesContain) {
  std::ofstream(path_, std::ios::binary) << zip_of(empty_entries(20'000));
  std::vector<NamedText> texts;
  const std::size_t before = allocated_memory();
  for_each_text(
      path_, [&](NamedText text) { texts.push_back(std::move(text)); },
      [](const Error& error) { FAIL() << error.text(); });
  EXPECT_EQ(texts.size(), 20'000U);
  EXPECT_LT(allocated_memory(), before + (std::size_t{512} << 20)) << "much less than a megabyte per entry";
}

TEST_F(Archives, ReportInsufficientMemory) {
  const auto lines_with = [&](const std::function<void()>& work) {
    std::string lines;
    const auto fail = [&](const Error& error) { lines += error.text() + "\n"; };
    for_each_text(
        fixture("several.zip"),
        [&](NamedText text) {
          read_documents_of(
              std::move(text), [&](const Document&) { work(); }, fail);
        },
        fail);
    return lines;
  };
  constexpr const char* kNoMemory = ": not enough memory to read it\n";
  EXPECT_EQ(lines_with([] { throw std::bad_alloc(); }),
            fixture("several.zip:a.yaml") + kNoMemory + fixture("several.zip:b.json") + kNoMemory);
  EXPECT_THAT(lines_with([] { throw std::length_error("x"); }),
              HasSubstr("several.zip:a.yaml: contains a text that exceeds the address space\n"));
  std::string lines;
  for_each_text(
      fixture("a.yaml.gz"), [](const NamedText&) { throw std::bad_alloc(); },
      [&](const Error& error) { lines += error.text(); });
  EXPECT_EQ(lines + "\n", fixture("a.yaml.gz") + kNoMemory);
}

TEST(TextAreas, KeepTheirTextAsTheyGrow) {
  TextArea area;
  std::string expected;
  for (std::size_t size : {0, 1, 100, 5'000, 60'000, 1'000, 100'000, 3'000'000, 1}) {
    const std::string piece(size, static_cast<char>('a' + size % 26));
    std::ranges::copy(piece, area.room(size));
    area.grew(size);
    expected += piece;
    ASSERT_EQ(area.text(), expected);
    for (std::size_t i = 0; i < kJsonPadding; ++i) ASSERT_EQ(*(area.room(0) + i), '\0');
  }
  const TextArea moved = std::move(area);
  EXPECT_EQ(moved.text(), expected);
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

// The text is a thousand times its packed size. What fits below `always` is read nevertheless.
TEST_F(Archives, OfBlanksOnlyAreRefusedByTheirRatio) {
  const std::string bomb = bytes_in(fixture("blanks.yaml.gz"));
  const std::size_t packed = bomb.size();
  EXPECT_THAT(of("blanks.yaml.gz", {.always = 1000, .times = 100}), HasSubstr("unpacks to more than "));
  EXPECT_EQ(of("blanks.yaml.gz", {.always = 2000 * packed, .times = 100}), kPodA);
}

TEST_F(Archives, ThatEndTooEarlyAreTruncated) {
  for (const char* name : {"a.yaml.gz", "a.yaml.zst", "frames.json.zst", "members.json.gz"}) {
    const std::string whole = bytes_in(fixture(name));
    EXPECT_THAT(of_bytes(whole.substr(0, whole.size() - 5)), HasSubstr("is truncated")) << name;
  }
  const std::string zip = bytes_in(fixture("several.zip"));
  EXPECT_THAT(of_bytes(zip.substr(0, zip.size() / 2)), HasSubstr("is damaged or incomplete"));
}

TEST_F(Archives, FollowedByOtherBytesAreDamaged) {
  EXPECT_THAT(of_bytes(bytes_in(fixture("a.yaml.gz")) + "rest"),
              HasSubstr("cannot be unpacked: incorrect header check"));
  EXPECT_THAT(of_bytes(bytes_in(fixture("a.yaml.zst")) + "rest"), HasSubstr("cannot be unpacked"));
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

// Tries every prefix and every changed byte. Expects the original documents, the first of them, a message or,
// if the first bytes are gone, text that is not an object.
TEST_F(Archives, ReportDamage) {
  for (const char* name : {"members.json.gz", "frames.json.zst"}) {
    const std::string before = of(name);
    for (const std::string& bytes : damaged(bytes_in(fixture(name)))) {
      const std::string after = of_bytes(bytes);
      EXPECT_TRUE(before.starts_with(after) || after.find_first_of(":?") != std::string::npos) << after;
    }
  }
}

// Names of entries have no checksum, so an entry with a damaged name may be overlooked.
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
