// Files that were scanned are not unpacked again if there is room to keep them.
#include "loader/kept_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/command_for_test.hpp"
#include "document/json.hpp"

namespace muster::cli {
namespace {

class KeptFilesOfTest : public testing::Test {
 protected:
  // Replaces a file between scanning and reading it. Returns the names of the objects that are read.
  std::string read_after_change(loader::KeptFiles& kept, const std::string& before,
                                const std::string& after) {
    const std::string file = files_.root() + "/f";
    std::filesystem::copy_file(fixture(before), file, std::filesystem::copy_options::overwrite_existing);
    kept.look_into(file, [](NamedText&) {});
    std::filesystem::copy_file(fixture(after), file, std::filesystem::copy_options::overwrite_existing);
    return read(kept, file);
  }
  static std::string read(loader::KeptFiles& kept, const std::string& file) {
    std::string names;
    const auto use = [&](const Document& document) {
      std::string_view name;
      if (!document.root().at_pointer("/metadata/name").get(name)) names += std::string(name) + " ";
    };
    kept.read_documents(file, use, [&](const Error& error) { names += error.message; });
    return names;
  }
  static std::filesystem::path fixture(const std::string& name) {
    return std::filesystem::path(MUSTER_ARCHIVES) / name;
  }
  TemporaryFiles files_;
};

TEST_F(KeptFilesOfTest, UnpackedTextIsReadFromMemoryOnce) {
  loader::KeptFiles kept;
  EXPECT_EQ(read_after_change(kept, "a.yaml.gz", "streamed.zip"), "a ");
  EXPECT_EQ(read(kept, files_.root() + "/f"), "b ");
}

TEST_F(KeptFilesOfTest, TextWithoutRoomIsUnpackedAgain) {
  loader::KeptFiles kept(100);
  EXPECT_EQ(read_after_change(kept, "a.yaml.gz", "streamed.zip"), "b ");
  EXPECT_EQ(read_after_change(kept, "several.zip", "a.yaml.gz"), "a ");
}

TEST_F(KeptFilesOfTest, ReadingAFileFreesItsRoom) {
  loader::KeptFiles kept(300);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(read_after_change(kept, "a.yaml.gz", "streamed.zip"), "a ");
}

TEST_F(KeptFilesOfTest, PlainFilesAreNotKept) {
  loader::KeptFiles kept;
  const std::string file = files_.add("a.yaml", "metadata: {name: a}\nkind: Pod\n");
  kept.look_into(file, [](NamedText&) {});
  files_.add("a.yaml", "metadata: {name: b}\nkind: Pod\n");
  EXPECT_EQ(read(kept, file), "b ");
}

}  // namespace
}  // namespace muster::cli
