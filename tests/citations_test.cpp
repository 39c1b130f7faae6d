// Every citation in comments and pages leads somewhere: `x.md` with section numbers, and relative links with
// anchors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace muster {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

// ---------------------------------------------------------------- reading text

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_-./").find(c) != std::string_view::npos;
}

bool take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

// "9.4" of "9.4. More"; "" where the text begins otherwise.
std::string take_number(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && (is_digit(text[end]) || (end > 0 && text[end] == '.' && end + 1 < text.size() &&
                                                       is_digit(text[end + 1]) && text[end - 1] != '.')))
    ++end;
  const std::string number(text.substr(0, end));
  text.remove_prefix(end);
  return number;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// ---------------------------------------------------------------- citations

struct Citation {
  std::string page;                   // "actions.md"; "": the page that contains it
  std::vector<std::string> sections;  // "9.4"; both ends of a range
};

// "9.4", "§9.4", "3.4, 6", "1 to 4", "4 and 5".
std::vector<std::string> take_sections(std::string_view& text) {
  std::vector<std::string> sections;
  while (true) {
    std::string_view rest = text;
    if (!sections.empty() && !take(rest, ", ") && !take(rest, " to ") && !take(rest, " and "))
      return sections;
    take(rest, "§");
    const std::string number = take_number(rest);
    const bool is_word =
        !rest.empty() && std::isalpha(static_cast<unsigned char>(rest.front())) != 0;  // "2x"
    if (number.empty() || is_word) return sections;
    sections.push_back(number);
    text = rest;
  }
}

// The page whose name ends here, if one does: "docs/kai/actions.md" of "see docs/kai/actions.md".
std::string page_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && is_name_char(text[begin - 1])) --begin;
  const std::string_view name = text.substr(begin, end - begin);
  return name.front() != '.' || name.starts_with("../") ? std::string(name) : "";
}

std::vector<Citation> citations_in(std::string_view line) {
  std::vector<Citation> found;
  if (line.find(".md") == line.npos && line.find("§") == line.npos) return found;
  for (std::size_t at = 0; at < line.size();) {
    std::string_view rest = line.substr(at);
    if (take(rest, "§")) {
      rest = line.substr(at);
      if (auto sections = take_sections(rest); !sections.empty()) found.push_back({"", std::move(sections)});
      at = std::max(line.size() - rest.size(), at + 1);
      continue;
    }
    const bool ends_name =
        take(rest, ".md") && (rest.empty() || !is_name_char(rest.front()) || rest.front() == '.');
    const std::string page = ends_name ? page_before(line, at + 3) : "";
    if (page.empty()) {
      ++at;
      continue;
    }
    if (!take(rest, "`") && !take(rest, "]()")) take(rest, ")");
    std::string_view after = rest;
    auto sections = take(after, " ") ? take_sections(after) : std::vector<std::string>{};
    at = sections.empty() ? at + 3 : line.size() - after.size();
    found.push_back({page, std::move(sections)});
  }
  return found;
}

// ---------------------------------------------------------------- links

// Takes the targets of `[text](target)` out of the line, and leaves `[text]()`.
std::vector<std::string> take_links(std::string& line) {
  std::vector<std::string> targets;
  for (std::size_t at = 0; (at = line.find("](", at)) != std::string::npos; at += 3) {
    const std::size_t begin = at + 2, end = line.find(')', begin);
    if (end == std::string::npos) break;
    targets.push_back(line.substr(begin, end - begin));
    line.erase(begin, end - begin);
  }
  return targets;
}

bool is_elsewhere(const std::string& target) {
  return target.find("://") != std::string::npos || target.starts_with("mailto:");
}

// ---------------------------------------------------------------- pages

struct Page {
  std::set<std::string> sections;  // "9.4"; an item of a numbered list in section 14 is "14.1"
  std::set<std::string> anchors;
};

// As GitHub does it: "### 9.1 `Budgets`, all" becomes "91-budgets-all".
std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || byte >= 0x80 || c == '-' || c == '_')
      anchor += static_cast<char>(std::tolower(byte));
    else if (c == ' ')
      anchor += '-';
  }
  return anchor;
}

Page read_page(const std::string& text) {
  Page page;
  std::string section;
  bool is_code = false;
  for (const std::string& line : lines_of(text)) {
    std::string_view rest = line;
    if (rest.starts_with("```")) is_code = !is_code;
    if (is_code) continue;
    if (rest.starts_with("#") && rest.find(' ') != std::string_view::npos) {
      rest.remove_prefix(rest.find(' ') + 1);
      const std::string anchor = anchor_of(rest);
      for (int again = 1;
           !page.anchors.insert(again == 1 ? anchor : anchor + "-" + std::to_string(again - 1)).second;)
        ++again;
      section = take_number(rest);
      if (!section.empty()) page.sections.insert(section);
      continue;
    }
    const std::string item = take_number(rest);
    if (!section.empty() && !item.empty() && rest.starts_with(". "))
      page.sections.insert(section + "." + item);
  }
  return page;
}

// ---------------------------------------------------------------- broken citations

class Checker {
 public:
  // Path below the root → text. Directories and files that are not read have no text.
  explicit Checker(std::map<std::string, std::string> files) : files_(std::move(files)) {
    for (const auto& [path, text] : files_)
      if (path.ends_with(".md")) pages_[path] = read_page(text);
  }

  // "docs/a.md:12: b.md 99: no such section", for each citation in the file that leads nowhere.
  std::vector<std::string> wrong_in(const std::string& path) const {
    std::vector<std::string> wrong;
    const std::vector<std::string> lines = lines_of(files_.at(path));
    const bool is_page = path.ends_with(".md");
    bool is_code = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string line = lines[i];
      if (is_page && line.starts_with("```")) is_code = !is_code;
      const auto tell = [&](const std::string& what) {
        wrong.push_back(path + ":" + std::to_string(i + 1) + ": " + what);
      };
      if (is_page && !is_code)
        for (const std::string& target : take_links(line)) check_link(path, target, tell);
      for (const Citation& citation : citations_in(line))
        if (is_page || !citation.page.empty()) check(path, citation, tell);
    }
    return wrong;
  }

  // Pages that cannot be reached from `start` by so many links.
  std::vector<std::string> pages_beyond(const std::string& start, int clicks) const {
    std::set<std::string> near{start}, last{start};
    for (; clicks > 0; --clicks) {
      std::set<std::string> next;
      for (const std::string& path : last) next.merge(pages_linked_from(path));
      near.insert(next.begin(), next.end());
      last = std::move(next);
    }
    std::vector<std::string> beyond;
    for (const auto& [path, page] : pages_)
      if (!near.contains(path)) beyond.push_back(path);
    return beyond;
  }

 private:
  std::set<std::string> pages_linked_from(const std::string& path) const {
    std::set<std::string> pages;
    for (std::string line : lines_of(files_.at(path)))
      for (const std::string& target : take_links(line))
        if (const std::string page = file_of(path, target); pages_.contains(page)) pages.insert(page);
    return pages;
  }
  // The file that a link on the page `path` leads to.
  static std::string file_of(const std::string& path, const std::string& target) {
    const std::string file = target.substr(0, target.find('#'));
    return file.empty() ? path : joined(folder_of(path), file);
  }
  static std::string folder_of(const std::string& path) {
    return fs::path(path).parent_path().generic_string();
  }
  static std::string joined(const std::string& folder, const std::string& path) {
    return (fs::path(folder) / path).lexically_normal().generic_string();
  }
  bool exists(const std::string& path) const {
    const std::string folder = path.ends_with('/') ? path : path + "/";
    const auto below = files_.lower_bound(folder);
    return path.empty() || path == "." || files_.contains(path) ||
           (below != files_.end() && below->first.starts_with(folder));
  }

  // A name alone may mean several pages: docs/placement.md is for users, docs/kai/placement.md for facts
  // about KAI-Scheduler. What begins with a slash ("${ROOT}/docs/requeue.md" in a script) begins at the root.
  std::vector<const Page*> meant(const std::string& path, const std::string& name) const {
    std::vector<const Page*> pages;
    for (const std::string& folder :
         {folder_of(path), std::string(), std::string("docs"), std::string("docs/kai")})
      if (const auto found = pages_.find(joined(folder, name.substr(name.starts_with('/'))));
          found != pages_.end())
        pages.push_back(&found->second);
    return pages;
  }

  template <class Tell>
  void check(const std::string& path, const Citation& citation, Tell tell) const {
    const auto pages =
        meant(path, citation.page.empty() ? fs::path(path).filename().string() : citation.page);
    if (pages.empty()) return tell(citation.page + ": no such page");
    for (const std::string& section : citation.sections) {
      const auto has_it = [&](const Page* page) { return page->sections.contains(section); };
      if (std::none_of(pages.begin(), pages.end(), has_it))
        tell((citation.page.empty() ? "§" : citation.page + " ") + section + ": no such section");
    }
  }

  template <class Tell>
  void check_link(const std::string& path, const std::string& target, Tell tell) const {
    if (is_elsewhere(target)) return;
    const std::size_t hash = target.find('#');
    const std::string full = file_of(path, target);
    if (!exists(full)) return tell("(" + target + "): no such file");
    if (hash == std::string::npos) return;
    const auto page = pages_.find(full);
    if (page == pages_.end() || !page->second.anchors.contains(target.substr(hash + 1)))
      tell("(" + target + "): no such heading");
  }

  std::map<std::string, std::string> files_;
  std::map<std::string, Page> pages_;
};

// ---------------------------------------------------------------- this repository

// This file has many citations that lead nowhere.
bool is_read(const fs::path& path) {
  static const std::set<std::string> kExtensions{".cpp", ".hpp", ".py", ".sh", ".cmake", ".md", ".txt", ""};
  return kExtensions.contains(path.extension().string()) && path.filename() != "citations_test.cpp";
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Files that are not read still exist for links.
std::map<std::string, std::string> repository() {
  const fs::path root = MUSTER_ROOT;
  std::map<std::string, std::string> files;
  const auto add = [&](const fs::path& path) {
    files[path.lexically_relative(root).generic_string()] = is_read(path) ? text_of(path) : "";
  };
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.is_regular_file()) add(entry.path());
  for (const char* folder : {"src", "tests", "bench", "cmake", "deploy", "docs", "examples"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file()) add(entry.path());
  return files;
}

TEST(Citations, LeadSomewhere) {
  const auto files = repository();
  ASSERT_TRUE(files.contains("docs/kai/actions.md")) << MUSTER_ROOT;
  const Checker checker(files);
  std::vector<std::string> wrong;
  for (const auto& [path, text] : files)
    for (const std::string& what : checker.wrong_in(path)) wrong.push_back(what);
  EXPECT_THAT(wrong, IsEmpty());
}

TEST(Citations, EveryPageIsWithinTwoClicksOfTheReadme) {
  EXPECT_THAT(Checker(repository()).pages_beyond("README.md", 2), IsEmpty());
}

// ---------------------------------------------------------------- the test can fail

// "actions.md[9.4 9.5] requeue.md[]"
std::string seen_in(std::string_view line) {
  std::string text;
  for (const Citation& c : citations_in(line)) {
    text += (text.empty() ? "" : " ") + c.page + "[";
    for (const std::string& s : c.sections) text += (text.back() == '[' ? "" : " ") + s;
    text += "]";
  }
  return text;
}

TEST(Citations, AreFoundInComments) {
  EXPECT_EQ(seen_in("// Order. actions.md 9.4"), "actions.md[9.4]");
  EXPECT_EQ(seen_in("// Room. actions.md 2, 9.4."), "actions.md[2 9.4]");
  EXPECT_EQ(seen_in("// actions.md 3.4, 6; fairshare.md 7."), "actions.md[3.4 6] fairshare.md[7]");
  EXPECT_EQ(seen_in("// fairshare.md 1 to 4."), "fairshare.md[1 4]");
  EXPECT_EQ(seen_in("// actions.md 9.3 to 9.5."), "actions.md[9.3 9.5]");
  EXPECT_EQ(seen_in("// actions.md 12 and min-runtime.md."), "actions.md[12] min-runtime.md[]");
  EXPECT_EQ(seen_in("// actions.md 9.6, requeue.md."), "actions.md[9.6] requeue.md[]");
  EXPECT_EQ(seen_in("// placement.md 12, example 17"), "placement.md[12]");
  EXPECT_EQ(seen_in("// requeue.md, step 3."), "requeue.md[]");
  EXPECT_EQ(seen_in("(actions.md 10)"), "actions.md[10]");
  EXPECT_EQ(seen_in("# docs/kai/kubernetes.md §5.7"), "docs/kai/kubernetes.md[5.7]");
  EXPECT_EQ(seen_in("actions.md 3 pods"), "actions.md[3]");
  EXPECT_EQ(seen_in("tests.md5 of x.mdx and .md"), "");
}

TEST(Citations, AreFoundOnPages) {
  EXPECT_EQ(seen_in("as `actions.md` §9.4 says"), "actions.md[9.4]");
  EXPECT_EQ(seen_in("[explain.md]() §2"), "explain.md[2]");
  EXPECT_EQ(seen_in("(see §14.19, §3)"), "[14.19 3]");
}

TEST(Citations, LinksAreTakenOut) {
  std::string line = "[a](b.md#c), [d](https://e.f/g.md) and [h]";
  EXPECT_THAT(take_links(line), ElementsAre("b.md#c", "https://e.f/g.md"));
  EXPECT_EQ(line, "[a](), [d]() and [h]");
}

TEST(Citations, SectionsOfAPage) {
  const Page page = read_page(R"(# Title
## 0. First
text 1. no item
## 14. Where `this` bites
1. one
12. twelve
```
## 15. code
```
### 9.1 Budgets
### 9.1 Budgets
)");
  EXPECT_THAT(page.sections, ElementsAre("0", "14", "14.1", "14.12", "9.1"));
  EXPECT_THAT(page.anchors,
              ElementsAre("0-first", "14-where-this-bites", "91-budgets", "91-budgets-1", "title"));
}

TEST(Citations, WhatLeadsNowhereIsNamed) {
  const Checker checker({
      {"docs/use.md",
       "# Use\n[all](kai/a.md#1-one) [none](kai/a.md#2-two) [gone](b.md) [here](#use) [no](#nowhere)\n"},
      {"docs/kai/a.md", "# A\n## 1. One\n1. item\nsee §1.1 and §1.2, use.md, [x](..), [y](../../src)\n"},
      {"src/good.cpp", "// a.md 1; docs/use.md; kai/a.md; ${ROOT}/docs/use.md\n"},
      {"src/bad.cpp", "// a.md 1, 3.\nint x;  // missing.md\n// §7 of something else\n"},
  });
  EXPECT_THAT(checker.wrong_in("docs/use.md"), ElementsAre("docs/use.md:2: (kai/a.md#2-two): no such heading",
                                                           "docs/use.md:2: (b.md): no such file",
                                                           "docs/use.md:2: (#nowhere): no such heading"));
  EXPECT_THAT(checker.wrong_in("docs/kai/a.md"), ElementsAre("docs/kai/a.md:4: §1.2: no such section"));
  EXPECT_THAT(checker.wrong_in("src/good.cpp"), IsEmpty());
  EXPECT_THAT(checker.wrong_in("src/bad.cpp"), ElementsAre("src/bad.cpp:1: a.md 3: no such section",
                                                           "src/bad.cpp:2: missing.md: no such page"));
}

TEST(Citations, PagesBeyondANumberOfClicks) {
  const Checker checker({{"README.md", "[a](docs/a.md#b) [elsewhere](https://x.org/c.md)\n"},
                         {"docs/a.md", "[b](b.md)\n"},
                         {"docs/b.md", "[up](../README.md)\n"},
                         {"docs/c.md", "[a](a.md)\n"}});
  EXPECT_THAT(checker.pages_beyond("README.md", 1), ElementsAre("docs/b.md", "docs/c.md"));
  EXPECT_THAT(checker.pages_beyond("README.md", 2), ElementsAre("docs/c.md"));
}

}  // namespace
}  // namespace muster
