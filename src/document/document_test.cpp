// Splitting of files into documents, and the messages about text that does not parse.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "document/json.hpp"

namespace muster {
namespace {

namespace fs = std::filesystem;

// Lists one line per document, "apiVersion kind @line json", and one per error.
class Listing {
 public:
  std::function<void(const Document&)> use = [this](const Document& d) {
    add(std::string(d.api_version()) + ' ' + std::string(d.kind()) + " @" + std::to_string(d.line_of("")) +
        ' ' + std::string(simdjson::minify(d.root())));
  };
  std::function<void(const Error&)> fail = [this](const Error& error) { add(error.text()); };
  std::string text;

 private:
  void add(const std::string& line) { text += line + '\n'; }
};

std::string listed(std::string_view text, const std::string& name = "f.yaml") {
  Listing listing;
  read_documents_in(name, text, listing.use, listing.fail);
  return listing.text;
}

struct Case {
  const char* text;
  const char* expected;
};

TEST(Documents, ReadsEveryFormat) {
  const Case cases[] = {
      {"", ""},
      {"\n---\n---\n# nothing\n", ""},
      {"a: 1\n", "  @1 {\"a\":1}\n"},
      {"\xEF\xBB\xBF{\"a\":1}", "  @1 {\"a\":1}\n"},
      {"---\n{\"a\":1}\n---\n{\"a\":2}\n", "  @2 {\"a\":1}\n  @4 {\"a\":2}\n"},
      {"--- {\"a\":1}\n---\r\n{\"a\":2}\r\n", "  @1 {\"a\":1}\n  @3 {\"a\":2}\n"},
      {"{\"a\":1}\n{\"a\":2}\n\n{\"a\":3}", "  @1 {\"a\":1}\n  @2 {\"a\":2}\n  @4 {\"a\":3}\n"},
      {"{\"a\":1} {\"a\":2}{\"a\":3}", "  @1 {\"a\":1}\n  @1 {\"a\":2}\n  @1 {\"a\":3}\n"},
      {"{\n\"a\": [\n{\n\"b\":1}\n]}\n{\"c\":\"}{\"}", "  @0 {\"a\":[{\"b\":1}]}\n  @6 {\"c\":\"}{\"}\n"},
      {"# made by hand\n%YAML 1.1\n---\n# more\na: 1\n---\n{b: 2, c: [d]}\n",
       "  @5 {\"a\":1}\n  @7 {\"b\":2,\"c\":[\"d\"]}\n"},
      {"{\"a\":1} # so\n", "  @1 {\"a\":1}\n"},
      {"a: |\n  ---\n  x\n---\nb: 1\n", "  @1 {\"a\":\"---\\nx\\n\"}\n  @5 {\"b\":1}\n"},
      {"{\"a\":123456789012345678901234567890}", "  @1 {\"a\":1.2345678901234568e+29}\n"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(listed(text), expected) << "of\n" << text;
}

TEST(Documents, ContinuesAfterAnError) {
  const Case cases[] = {
      {"a: 1\n---\nb: [\n---\nc: 3\n",
       "  @1 {\"a\":1}\nf.yaml:4: end of sequence flow not found\n  @5 {\"c\":3}\n"},
      {"---\na: 1\na: 2\n---\nb: 1\n", "f.yaml:3: key \"a\" is given twice\n  @5 {\"b\":1}\n"},
      {"{\"a\":1}\n{\"a\":\n{\"a\":3}\n",
       "  @1 {\"a\":1}\n"
       "f.yaml:2: not valid JSON: The JSON document has an improper structure: missing or superfluous "
       "commas, braces, missing keys, etc.\n  @3 {\"a\":3}\n"},
      {"{a: 1,\n b: [}\n", "f.yaml:2: illegal flow end\n"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(listed(text), expected) << "of\n" << text;
}

// Reading must not become quadratic, neither for documents on one line nor for broken ones.
TEST(Documents, ReadsManySmallDocumentsFast) {
  std::string together, broken;
  for (int i = 0; i < 100000; ++i) {
    together += "{\"a\":\"0123456789012345678901234567890123456789\"}";
    if (i % 10 == 0) broken += "{\"a\":[{\"b\":\"0123456789012345678901234567890123456789\"}\n";
  }
  int documents = 0, errors = 0;
  const auto use = [&](const Document&) { ++documents; };
  const auto fail = [&](const Error&) { ++errors; };
  read_documents_in("f.json", together, use, fail);
  read_documents_in("f.json", broken, use, fail);
  EXPECT_EQ(documents, 100000);
  EXPECT_EQ(errors, 10000);
}

TEST(Documents, IsStrictWithJsonFiles) {
  EXPECT_EQ(listed("{\"a\":1,}"), "  @1 {\"a\":1}\n");
  EXPECT_TRUE(listed("{\"a\":1,}", "f.json").starts_with("f.json:1: not valid JSON"));
}

TEST(Documents, UnfoldsLists) {
  const Case cases[] = {
      {"kind: List\napiVersion: v1\nitems:\n- kind: Pod\n  apiVersion: v1\n- a: 1\n",
       "v1 Pod @4 {\"kind\":\"Pod\",\"apiVersion\":\"v1\"}\n  @6 {\"a\":1}\n"},
      {"kind: PodList\napiVersion: v1\nitems:\n- a: 1\n- a:\n  - 2\n- a: 3\n",
       "v1 Pod @4 {\"a\":1}\nv1 Pod @5 {\"a\":[2]}\nv1 Pod @7 {\"a\":3}\n"},
      {R"({"kind":"QueueList","apiVersion":"scheduling.run.ai/v2","items":[{"a":1}]})",
       "scheduling.run.ai/v2 Queue @1 {\"a\":1}\n"},
      {R"([{"a":1},[{"a":2}]])", "  @1 {\"a\":1}\n  @1 {\"a\":2}\n"},
      {"kind: List\nitems: null\n", ""},
      {"kind: AllowList\n", " AllowList @1 {\"kind\":\"AllowList\"}\n"},
      {"config: {}\nrawObjects:\n  nodes: [{a: 1}]\n  pods:\n  - a: 2\n  queues: null\n",
       "v1 Pod @5 {\"a\":2}\nv1 Node @3 {\"a\":1}\n"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(listed(text), expected) << "of\n" << text;
}

TEST(Documents, ReportsTheLineOfAFieldOfAnItem) {
  std::vector<int> lines;
  read_documents_in(
      "f.yaml", "kind: List\nitems:\n- metadata:\n    name: a\n- spec: 1\n  metadata:\n    name: b\n",
      [&](const Document& document) { lines.push_back(document.line_of("metadata.name")); },
      [](const Error& error) { FAIL() << error.text(); });
  EXPECT_EQ(lines, (std::vector{4, 7}));
}

class Files : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }
  std::string write(const std::string& name, const std::string& content) const {
    const fs::path path = directory_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }
  fs::path directory_ =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

using FilesBelow = Files;

TEST_F(FilesBelow, ListsManifestsInNameOrder) {
  const std::string b = write("b.yaml", ""), a = write("sub/a.yml", ""), c = write("a.json", "");
  write("notes.txt", "");
  write(".git/x.yaml", "");
  EXPECT_EQ(*files_below(directory_.string()), (std::vector{c, b, a}));
  EXPECT_EQ(*files_below((directory_ / "notes.txt").string()),
            (std::vector{(directory_ / "notes.txt").string()}));
  EXPECT_EQ(*files_below("-"), std::vector<std::string>{"-"});
}

TEST_F(FilesBelow, RefusesMissingPaths) {
  EXPECT_EQ(files_below("/nowhere/at/all").error().text(), "/nowhere/at/all: no such file or directory");
}

using ReadDocuments = Files;

// Documents that end at a page boundary are the ones that need the padding after the file.
TEST_F(ReadDocuments, ReadsFilesOfAnySize) {
  for (const std::size_t size : {0, 1, 4095, 4096, 4097, 8192}) {
    const std::string text =
        size < 8 ? std::string(size, ' ') : "{\"a\":\"" + std::string(size - 8, 'x') + "\"}";
    Listing listing;
    read_documents(write("f.json", text), listing.use, listing.fail);
    EXPECT_EQ(listing.text, size < 8 ? "" : "  @1 " + text + '\n');
  }
}

TEST_F(ReadDocuments, ReportsAFileThatCannotBeRead) {
  Listing listing;
  read_documents("/nowhere/at/all", listing.use, listing.fail);
  EXPECT_EQ(listing.text, "/nowhere/at/all: No such file or directory\n");
  listing.text.clear();
  read_documents(directory_.string(), listing.use, listing.fail);
  EXPECT_EQ(listing.text, directory_.string() + ": Is a directory\n");
}

}  // namespace
}  // namespace muster
