"""Tests cmake/batches.py: no file of a batch may see a private name of another."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "cmake"))
import batches  # noqa: E402


class Batches(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)
        (self.root / "m").mkdir()

    def put(self, name, text):
        (self.root / "m" / name).write_text(text)

    def batches(self, most=10):
        tree = batches.Tree(self.root)
        return batches.batches_of(tree, batches.sources_of(self.root, "m", ".cpp"), most)

    def private(self, text):
        self.put("a.cpp", text)
        return batches.Tree(self.root).private("m/a.cpp")

    def assertApart(self, first, second):
        self.assertIsNotNone(self.obstacle(first, second))

    def assertTogether(self, first, second):
        self.assertIsNone(self.obstacle(first, second))

    def obstacle(self, first, second):
        self.put("a.cpp", first)
        self.put("b.cpp", second)
        batch = batches.Batch(batches.Tree(self.root))
        batch.add("m/a.cpp")
        return batch.obstacle("m/b.cpp")

    def test_files_without_common_names_share_a_batch(self):
        self.assertTogether("namespace m { namespace { int one() { return 1; } } int f() { return one(); } }",
                            "namespace m { namespace { int two() { return 2; } } int g() { return two(); } }")

    def test_the_overload_that_once_dangled(self):
        # Alone, b.cpp calls the group_of of its header; after a.cpp in one batch it would call that of a.cpp.
        self.put("h.hpp", "namespace m { const std::string& group_of(const Pod&); }")
        self.assertApart("namespace m { namespace { std::string group_of(const json& object) { return {}; } } }",
                         '#include "m/h.hpp"\nnamespace m { std::string_view name(Pod p) { return group_of(p); } }')

    def test_a_file_that_harms_another_comes_after_it(self):
        self.put("a.cpp", "namespace m { namespace { int twice(int n) { return 2 * n; } } }")
        self.put("b.cpp", "namespace m { int f() { return twice(1); } }")
        self.assertEqual(self.batches(), [["m/b.cpp", "m/a.cpp"]])

    def test_files_that_harm_each_other_are_apart(self):
        self.put("a.cpp", "namespace m { namespace { int twice(int n) { return 2 * n; } } }")
        self.put("b.cpp", "namespace m { namespace { int twice(long n) { return 2 * n; } } }")
        self.assertEqual(self.batches(), [["m/a.cpp"], ["m/b.cpp"]])

    def test_a_qualified_name(self):
        self.put("h.hpp", "namespace other { int column(); }")
        self.assertTogether("namespace m { namespace { int row() { return 1; } } }",
                            '#include "m/h.hpp"\nint f() { return other::row() + Type::row(); }')
        self.assertApart("namespace m { namespace { int row() { return 1; } } }", "int f() { return m::row(); }")
        self.assertApart("namespace m { namespace { int row() { return 1; } } }",
                         "namespace alias = m; int f() { return alias::row(); }")

    def test_a_header_that_only_the_later_file_includes(self):
        self.put("h.hpp", "namespace m { inline int f(int n) { return twice(n); } }")
        self.assertApart("namespace m { namespace { int twice(long n) { return 1; } } }", '#include "m/h.hpp"\n')
        self.assertTogether('#include "m/h.hpp"\nnamespace m { namespace { int twice(long n) { return 1; } } }',
                            '#include "m/h.hpp"\n')

    def test_every_form_of_a_private_name(self):
        for text, name in (("namespace { int f(int a) { return a; } }", "f"),
                           ("namespace { const std::map<std::string, int> kTable = {{\"a\", 1}}; }", "kTable"),
                           ("namespace { constexpr int kOne{1}; }", "kOne"),
                           ("namespace { template <class T> std::vector<T> all_of(T t) { return {t}; } }", "all_of"),
                           ("namespace { struct Row { int column; }; }", "Row"),
                           ("namespace { class Row final : public Base { int column; }; }", "Row"),
                           ("namespace { enum class Kind { kA }; }", "Kind"),
                           ("namespace { enum Kind { kA, kB = 2 }; }", "kB"),
                           ("namespace { using Row = std::vector<int>; }", "Row"),
                           ("namespace { [[nodiscard]] auto made(int n) -> Row { return {}; } }", "made"),
                           ("namespace { char letters[] = {'a'}; }", "letters"),
                           ("namespace m { using other::json; }", "json"),
                           ("namespace m { namespace short_name = other::long_name; }", "short_name"),
                           ("namespace m { static int f() { return 1; } }", "f"),
                           ("namespace m { int without_header(int n) { return n; } }", "without_header"),
                           ("namespace m { namespace inner { namespace { int deep() { return 1; } } } }", "deep"),
                           ("namespace { constexpr int kMany = 1'000'000; int f('a'); }", "f")):
            with self.subTest(text):
                self.assertIn(name, self.private(text))

    def test_what_is_not_private(self):
        self.put("a.hpp", "namespace m { int f(int n); struct Thing { int g(); }; }")
        self.assertEqual(self.private('#include "m/a.hpp"\nnamespace m { int f(int n) { int local = n; return local; }\n'
                                      "int Thing::g() { return f(1); } }"), frozenset())

    def test_comments_strings_and_members_mention_nothing(self):
        first = "namespace { int row() { return 1; } }"
        for text in ("// row\n", "/* row */", 'const char* kText = "row";', 'auto kRaw = R"(row)";',
                     "int f(Table t) { return t.row + t.row(); }", "int f(Table* t) { return t->row; }",
                     "int f() { return std::inner::row; }"):
            with self.subTest(text):
                self.assertTogether(first, text)
        self.assertApart(first, "int f() { return m::row(); }")
        self.assertApart(first, "int f() { return 1'0 + row(); }")

    def test_the_same_alias_may_repeat(self):
        self.assertTogether("namespace { using nlohmann::json; }", "namespace { using nlohmann::json; json f(); }")
        self.assertApart("namespace { using nlohmann::json; }", "namespace { using other::json; json g(); }")
        self.assertApart("namespace { using nlohmann::json; }", "json f(json);")

    def test_what_is_found_without_being_spelled_is_compiled_alone(self):
        for text in ("#define ROW 1\n", "namespace { bool operator==(const A&, const A&) { return true; } }",
                     "namespace { void to_json(json& j, const A& a) {} }", "using namespace std;"):
            with self.subTest(text):
                self.assertApart(text, "int other() { return 1; }")

    def test_no_batch_is_larger_than_asked_for(self):
        for number in range(25):
            self.put(f"f{number:02}.cpp", f"namespace m {{ namespace {{ int name_{number}() {{ return 1; }} }} }}")
        made = self.batches(most=10)
        self.assertEqual([len(files) for files in made], [10, 10, 5])
        self.assertEqual(sorted(sum(made, [])), batches.sources_of(self.root, "m", ".cpp"))

    def test_a_written_batch_that_leaks_is_found(self):
        self.put("a.cpp", "namespace { int row() { return 1; } }")
        self.put("b.cpp", "int f() { return row(); }")
        batch = self.root / "batch.cpp"
        batch.write_text('#include "m/a.cpp"\n#include "m/b.cpp"\n')
        self.assertEqual(batches.main(["--source", str(self.root), "--check", str(batch)]), 1)
        batch.write_text('#include "m/b.cpp"\n#include "m/a.cpp"\n')
        self.assertEqual(batches.main(["--source", str(self.root), "--check", str(batch)]), 0)


if __name__ == "__main__":
    unittest.main()
