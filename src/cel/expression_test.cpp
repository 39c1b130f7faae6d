// What expressions give on a device, and what is said about those that give nothing.
#include "cel/expression.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "cel/evaluation.hpp"

namespace muster::cel {
namespace {

class Gpu final : public Device {
 public:
  std::string_view driver() const override { return "gpu.example.com"; }
  std::optional<Value> attribute(std::string_view domain, std::string_view id) const override {
    static const std::map<std::string, Value, std::less<>> kAttributes{
        {"model", std::string("A100-SXM4")},
        {"index", std::int64_t{3}},
        {"shared", true},
        {"version", *Version::parse("1.10.0")}};
    const auto found = kAttributes.find(id);
    return domain == driver() && found != kAttributes.end() ? std::optional(found->second) : std::nullopt;
  }
  std::optional<Quantity> capacity(std::string_view domain, std::string_view id) const override {
    if (domain != driver() || id != "memory") return std::nullopt;
    return Quantity{std::int64_t{40} * (1 << 30) * 1000};
  }
  std::vector<std::string> keys(const DevicePart& part) const override {
    if (part.what == DevicePart::What::kAttributes || part.what == DevicePart::What::kCapacities)
      return {"gpu.example.com"};
    if (part.domain != driver()) return {};
    if (part.what == DevicePart::What::kCapacitiesOf) return {"memory"};
    return {"index", "model", "shared", "version"};
  }
};

// "true", "false", or what is wrong.
std::string result(const std::string& text) {
  const auto expression = Expression::parse(text);
  if (!expression) return expression.error().text();
  const Value value = expression->evaluate(Gpu()).value;
  if (const auto* failed = value.as<Failure>()) return failed->why;
  return *value.as<bool>() ? "true" : "false";
}

struct Case {
  const char* text;
  const char* expected;
};

// a: the attributes of the driver's own domain; c: its capacity.
std::string with_short_names(std::string text) {
  return R"(cel.bind(a, device.attributes["gpu.example.com"], cel.bind(c, device.capacity["gpu.example.com"], )" +
         text + "))";
}

class Expressions : public testing::TestWithParam<Case> {};
TEST_P(Expressions, GiveATruthValueOrSayWhyNot) {
  EXPECT_EQ(result(with_short_names(GetParam().text)), GetParam().expected) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Access, Expressions,
    testing::Values(
        Case{"device.driver == 'gpu.example.com'", "true"}, Case{"a.model == \"A100-SXM4\"", "true"},
        Case{"a['model'] == 'A100-SXM4'", "true"}, Case{"a.index == 3", "true"}, Case{"a.shared", "true"},
        Case{"!a.shared", "false"}, Case{"a.absent == 1", "the device has no \"gpu.example.com/absent\""},
        Case{"device.attributes['other'].model == 'x'", "the device has no \"other/model\""},
        Case{"device.color == 'red'", "the device has no \"color\""}, Case{"has(a.model)", "true"},
        Case{"has(a.absent)", "false"}, Case{"'model' in a", "true"}, Case{"'absent' in a", "false"},
        Case{"'memory' in c && 'cores' in c", "false"}, Case{"unknown", "\"unknown\" is not known"},
        Case{"a.model.x == 1", "text has no member \"x\""}));

INSTANTIATE_TEST_SUITE_P(
    Operators, Expressions,
    testing::Values(Case{"1 + 2 * 3 == 7 && (1 + 2) * 3 == 9", "true"},
                    Case{"7 / 2 == 3 && 7 % 2 == 1", "true"}, Case{"1 / 0 == 1", "division by zero"},
                    Case{"-a.index < -2", "true"},
                    Case{"9223372036854775807 + 1 > 0", "the number is too large"},
                    Case{"a.index in [1, 2, 3]", "true"}, Case{"'x' in ['y']", "false"},
                    Case{"1 == '1'", "false"}, Case{"1 != '1'", "true"}, Case{"[1, 2] == [1, 2]", "true"},
                    Case{"[1, 2][1] == 2", "true"}, Case{"[1][1] == 2", "the list has no such entry"},
                    Case{"'a' < 'b'", "true"}, Case{"1 < 'b'", "< does not compare a number and text"},
                    Case{"a.index > 2 ? true : 1 / 0 == 1", "true"},
                    Case{"1 ? true : false", "? takes a truth value"}, Case{"'a' + 'b' == 'ab'", "true"},
                    Case{"1", "the expression gives a number, no truth value"}));

// Either side decides alone, whatever the other does.
INSTANTIATE_TEST_SUITE_P(
    Logic, Expressions,
    testing::Values(Case{"a.absent == 1 || true", "true"}, Case{"true || a.absent == 1", "true"},
                    Case{"a.absent == 1 && false", "false"},
                    Case{"a.absent == 1 && true", "the device has no \"gpu.example.com/absent\""},
                    Case{"true && 1", "&& takes truth values"}, Case{"true || false && false", "true"},
                    Case{"!(true && false)", "true"}));

INSTANTIATE_TEST_SUITE_P(
    Functions, Expressions,
    testing::Values(Case{"a.model.lowerAscii().matches('^a100')", "true"},
                    Case{"a.model.matches('^100')", "false"},
                    Case{"a.model.matches('(')", "\"(\" is not a regular expression"},
                    Case{"a.model.startsWith('A1') && a.model.endsWith('M4') && a.model.contains('SXM')",
                         "true"},
                    Case{"a.model.size() == 9 && size('äb') == 2", "true"},
                    Case{"c.memory.compareTo(quantity('40Gi')) == 0", "true"},
                    Case{"c.memory.isGreaterThan(quantity('80G'))", "false"},
                    Case{"c.memory.isLessThan(quantity('80G'))", "true"},
                    Case{"c.memory >= quantity('1')", ">= does not compare a quantity and a quantity"},
                    Case{"quantity('x').isInteger()", "\"x\" is not a quantity"},
                    Case{"quantity('2k').asInteger() == 2000", "true"},
                    Case{"a.version.isGreaterThan(semver('1.9.9'))", "true"},
                    Case{"semver('1.0.0-rc.1').isLessThan(semver('1.0.0'))", "true"},
                    Case{"semver('1.0.0-2').compareTo(semver('1.0.0-10')) == -1", "true"},
                    Case{"a.version.major() == 1 && a.version.minor() == 10", "true"},
                    Case{"isSemver('1.2') || isSemver('01.2.3') || isSemver('1.2.3-')", "false"},
                    Case{"a.index.startsWith('3')", "startsWith does not work on a number"}));

INSTANTIATE_TEST_SUITE_P(
    Macros, Expressions,
    testing::Values(
        Case{"['A100', 'H100'].exists(m, a.model.startsWith(m))", "true"},
        Case{"[1, 2, 3].all(i, i > 0) && ![1, 2, 3].all(i, i > 1)", "true"},
        Case{"[1, 2, 3].exists_one(i, i > 2) && ![1, 2, 3].existsOne(i, i > 1)", "true"},
        Case{"[1, 2, 3].map(i, i * 2) == [2, 4, 6]", "true"},
        Case{"[1, 2, 3].map(i, i > 1, i * 2) == [4, 6]", "true"},
        Case{"[1, 2, 3].filter(i, i % 2 == 1).size() == 2", "true"},
        Case{"[1, 0].exists(i, 1 / i == 1)", "true"}, Case{"[0].exists(i, 1 / i == 1)", "division by zero"},
        Case{"[0, 2].all(i, 1 / i == 1)", "false"}, Case{"[].all(i, false) && ![].exists(i, true)", "true"},
        Case{"a.exists(k, k == 'model') && device.attributes.exists(d, d.endsWith('.com'))", "true"},
        Case{"size(a) == 4 && size(c) == 1 && c.all(k, k == 'memory')", "true"},
        Case{"[[1], [2]].exists(l, l.exists(i, i == 2))", "true"},
        Case{"[1].all(i, i)", "a macro takes a truth value"},
        Case{"a.model.exists(i, true)", "exists does not work on text"},
        Case{"sets.contains([1, 2], [2]) && sets.intersects([1, 2], [2, 3]) && sets.equivalent([1, 1], [1])",
             "true"}));

// "[0,1,2]"
std::string numbers(int count) {
  std::string items;
  for (int i = 0; i < count; ++i) items += (i > 0 ? "," : "") + std::to_string(i);
  return "[" + items + "]";
}

Evaluated evaluated(const std::string& text) { return Expression::parse(text)->evaluate(Gpu()); }

const std::string kTooManySteps = "the expression takes more than 100000 steps";

TEST(Expression, EndsAtTheLimitOfSteps) {
  const std::string items = numbers(40);
  const std::string text =
      items + ".all(a, " + items + ".all(b, " + items + ".all(c, a + b + c < 1000 + size(device.driver))))";
  EXPECT_EQ(result(text), kTooManySteps);
  EXPECT_TRUE(evaluated(text).is_over_limit);
  EXPECT_EQ(evaluated(text).steps, kMostSteps);
  EXPECT_EQ(result("(" + text + ") || true"), kTooManySteps) << "what follows is not evaluated";
}

TEST(Expression, CountsTheStepsOfUsualSelectors) {
  const auto steps = [](const std::string& text) { return evaluated(text).steps; };
  EXPECT_EQ(steps("device.driver == 'gpu.example.com'"), 8);
  EXPECT_LT(steps("device.attributes['gpu.example.com'].model.lowerAscii().matches('^a100') && "
                  "device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0"),
            100);
  EXPECT_FALSE(evaluated("device.driver == 'gpu.example.com'").is_over_limit);
}

// Work that neither the arguments nor the result show.
TEST(Expression, CountsTheStepsOfExpensiveCalls) {
  const auto steps = [](const std::string& text) {
    return evaluated("cel.bind(d, device.driver, cel.bind(n, [1, 2].map(i, d), " + text + "))").steps;
  };
  const std::string many(5000, 'a'), items = numbers(500);
  EXPECT_GT(steps("(d + '" + many + "').contains('" + many + "b')"), 10'000);
  EXPECT_GT(steps("('" + many + "' + d).replace('" + many + "b', '') == d"), 10'000);
  EXPECT_GT(steps("sets.contains(" + items + " + n, " + items + " + n)"), 100'000 - 1);
  EXPECT_GT(steps("d.matches('(a{50}){15}')"), 4000);
  EXPECT_GT(steps("size(('" + many + "' + d).split('')) > 0"), 10'000);
  std::string version = "1.0.0-a";
  for (int i = 0; i < 1000; ++i) version += ".a";
  EXPECT_GT(steps("cel.bind(v, semver('" + version + "'), v == v && d == d)"), 2000);
  EXPECT_EQ(result("device.driver.matches('([\\u0100-\\uffff]{30}){30}|([^b]{30}){30}|([^c]{30}){30}')"),
            kTooManySteps);
}

TEST(Expression, ReportsOnlyTheBeginningOfLongText) {
  const std::string why =
      result("quantity(device.driver + '" + std::string(5000, 'x') + "') == quantity('1')");
  EXPECT_LT(why.size(), 250U);
  EXPECT_EQ(why.substr(0, 20), "\"gpu.example.comxxxx");
}

// ---- constants

// Without folding.
std::string slow_result(const std::string& text) {
  const auto tokens = tokens_of(text);
  if (!tokens) return tokens.error().text();
  const auto tree = tree_of(*tokens);
  if (!tree) return tree.error().text();
  Steps steps(kMostSteps);
  const Value value = value_of(*tree, Gpu(), steps);
  if (const auto* failed = value.as<Failure>()) return failed->why;
  if (const auto* truth = value.as<bool>()) return *truth ? "true" : "false";
  return "the expression gives " + std::string(type_name(value)) + ", no truth value";
}

TEST_P(Expressions, GiveTheSameWithoutFolding) {
  const std::string text = with_short_names(GetParam().text);
  EXPECT_EQ(slow_result(text), result(text)) << text;
  EXPECT_EQ(slow_result(GetParam().text), result(GetParam().text)) << GetParam().text;
}

TEST(Folding, EvaluatesConstantsWhenTheTextIsParsed) {
  const std::string items = numbers(40), constant = items + ".all(a, " + items + ".all(b, a + b < 1000))";
  const auto parsed = Expression::parse(constant + " && device.driver == 'gpu.example.com'");
  EXPECT_GT(parsed->folding_steps(), 5000);
  EXPECT_EQ(parsed->evaluate(Gpu()).steps, 10);
  EXPECT_EQ(Expression::parse("device.driver == 'x'")->folding_steps(), 0);
  EXPECT_EQ(evaluated(items + ".all(a, a < 5 * 10 || device.driver == 'x')").steps,
            evaluated(items + ".all(a, a < 50 || device.driver == 'x')").steps);
}

TEST(Folding, LeavesTheRestAsItIsWhenItTakesTooManySteps) {
  const std::string items = numbers(80);
  const std::string constant = items + ".all(a, " + items + ".all(b, a + b < 1000))";
  EXPECT_EQ(result("device.driver == 'other' && " + constant), "false");
  EXPECT_EQ(Expression::parse(constant)->folding_steps(), 20'000);
  EXPECT_EQ(result(constant), "true");
}

TEST(Folding, FailuresCountOnlyWhereTheyAreReached) {
  for (const Case& row : {Case{"1 / 0 == 1 || device.driver != ''", "true"},
                          {"device.driver == '' && 1 / 0 == 1", "false"},
                          {"device.driver == '' ? 1 / 0 == 1 : true", "true"},
                          {"device.driver != '' ? 1 / 0 == 1 : true", "division by zero"},
                          {"device.driver != '' && 1 / 0 == 1", "division by zero"},
                          {"device.driver != '' && nowhere", "\"nowhere\" is not known"},
                          {"[1, 0].exists(i, 1 / i == 1) && [0].all(i, 1 / 0 == 1)", "division by zero"},
                          {"[].all(i, 1 / 0 == 1) && device.driver != ''", "true"}}) {
    EXPECT_EQ(result(row.text), row.expected) << row.text;
    EXPECT_EQ(slow_result(row.text), row.expected) << row.text;
  }
}

TEST(Folding, KnowsWhichNamesAreBound) {
  for (const Case& row : {Case{"[1].all(device, device == 1)", "true"},
                          {"cel.bind(x, device.driver, [1, 2].all(i, size(x) > i))", "true"},
                          {"[1].all(i, [2].all(j, i < j) && [i].all(i, i == 1))", "true"},
                          {"[1].all(x, cel.bind(x, device.driver, x.startsWith('gpu')))", "true"},
                          {"cel.bind(x, 1, [2].all(x, x == 2) && x == 1 && device.driver != '')", "true"},
                          {"has(device.attributes.x) && optional.of([1])[?0].hasValue()", "true"}}) {
    EXPECT_EQ(result(row.text), row.expected) << row.text;
    EXPECT_EQ(slow_result(row.text), row.expected) << row.text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Optionals, Expressions,
    testing::Values(Case{"a.?model.orValue('') == 'A100-SXM4'", "true"},
                    Case{"a.?absent.orValue(7) == 7", "true"},
                    Case{"device.attributes[?'other'].?model.hasValue()", "false"},
                    Case{"a[?'model'].hasValue() && !a[?'absent'].hasValue()", "true"},
                    Case{"[1][?0].value() == 1 && ![1][?1].hasValue()", "true"},
                    Case{"a.?absent.value() == 1", "the optional value is missing"},
                    Case{"a.?absent.or(a.?index).value() == 3", "true"},
                    Case{"a.?index.optMap(i, i + 1).orValue(0) == 4", "true"},
                    Case{"optional.of(1) == optional.of(1) && optional.of(1) != optional.none()", "true"},
                    Case{"a.?model == 'A100-SXM4'", "false"}));

INSTANTIATE_TEST_SUITE_P(
    Texts, Expressions,
    testing::Values(
        Case{"a.model.split('-') == ['A100', 'SXM4']", "true"},
        Case{"a.model.split('-')[0].substring(1) == '100'", "true"},
        Case{"'äbc'.substring(1, 2) == 'b' && 'äbc'.charAt(0) == 'ä' && 'abc'.charAt(3) == ''", "true"},
        Case{"'abc'.substring(4) == ''", "the text has no such part"},
        Case{"'äbcb'.indexOf('b') == 1 && 'äbcb'.lastIndexOf('b') == 3 && 'a'.indexOf('x') == -1", "true"},
        Case{"a.model.replace('-', ' ') == 'A100 SXM4' && '  x\\n'.trim() == 'x'", "true"},
        Case{"['a', 'b'].join('-') == 'a-b' && ['a', 'b'].join() == 'ab'", "true"},
        Case{"'ab'.split('') == ['a', 'b'] && [1] + [2] == [1, 2]", "true"},
        Case{"int('12') + 1 == 13 && string(true) == 'true' && bool('true')", "true"},
        Case{"int('1x') == 1", "\"1x\" is not a whole number"},
        Case{"quantity('1Gi').add(quantity('1Gi')) == quantity('2Gi')", "true"},
        Case{"c.memory.sub(quantity('30Gi')).isGreaterThan(quantity('9Gi'))", "true"},
        Case{"quantity('5').sub(2).asInteger() == 3", "true"},
        Case{"semver('v1.2', true) == semver('1.2.0') && isSemver('v1.02.3', true)", "true"},
        Case{"isSemver('v1.2') || isSemver('1.2.3.4', true)", "false"},
        Case{"'\\x41\\u00e4' == 'Aä' && \"\"\"a\nb\"\"\".contains('b')", "true"},
        Case{"dyn(1) == 1", "true"}));

TEST(Expression, OutsideOfTheLanguageIsRefusedWithItsPlace) {
  EXPECT_EQ(result(""), "character 1: the expression ends too early");
  EXPECT_EQ(result("1.5 > 1"), "character 1: fractions are not supported");
  EXPECT_EQ(result("device.attributes.transformList(x, true)"),
            "character 19: \"transformList\" is not supported");
  EXPECT_EQ(result("ip('::1') == 1"), "character 1: \"ip\" is not supported");
  EXPECT_EQ(result("[1].all(1, 2)"), "character 9: a name is expected");
  EXPECT_EQ(result("[1].exists(i)"), "character 13: \",\" is expected");
  EXPECT_EQ(result("semver() == 1"), "character 1: semver() does not take 0 values");
  EXPECT_EQ(result("device.?driver() == 1"), "character 9: \"driver\" is not supported");
  EXPECT_EQ(result("true true"), "character 6: \"true\" is not expected");
  EXPECT_EQ(result("(true"), "character 6: \")\" is expected");
  EXPECT_EQ(result("'abc"), "character 1: the text does not end");
  EXPECT_EQ(result("'\\x4' == 'A'"), "character 2: the escape is not supported");
  EXPECT_EQ(result("12ab == 1"), "character 1: \"12ab\" is not a whole number");
  EXPECT_EQ(result("has(device)"), "character 1: has() takes a member");
  EXPECT_EQ(result("a # b"), "character 3: \"#\" is not expected");
  EXPECT_EQ(result(std::string(20000, '!')), "the expression is too long");
  EXPECT_EQ(result(std::string(5000, '!')), "character 1002: the expression is too large");
  EXPECT_EQ(result(std::string(5000, '(')), "character 51: the expression is nested too deeply");
}

TEST(Expression, CommentsAndSpaceDoNotCount) { EXPECT_EQ(result("  true // yes\n && true\t"), "true"); }

// Text that was damaged at random is evaluated or refused, always in the same way.
TEST(DamagedExpressions, AreEvaluatedOrRefusedTheSameWayTwice) {
  const std::string whole =
      R"(cel.bind(a, device.attributes["gpu.example.com"], a.model.lowerAscii().matches('^a1.*0') && (a.index in [1, 3]) )"
      R"(? !has(a.x) || quantity("4Gi").compareTo(device.capacity["gpu.example.com"].memory) <= -0 : semver('1.2.3')==a.version))";
  const std::string_view alphabet = "()[].,?:!&|<>=+-*/%'\"\\ \n01a_x\x80";
  std::mt19937 random(20250601);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
  for (int round = 0; round < 5000; ++round) {
    std::string text = whole;
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = below(text.size());
      if (below(3) == 0)
        text.erase(at, 1 + below(12));
      else if (below(2) == 0)
        text.insert(at, 1, alphabet[below(alphabet.size())]);
      else
        text.insert(at, whole.substr(below(whole.size()), below(30)));
      if (text.empty()) text = "x";
    }
    ASSERT_EQ(result(text), result(text)) << text;
    ASSERT_EQ(result(text), slow_result(text)) << text;
  }
}

// Each name stands for the one before it twice over.
std::string doubled(int times, const std::string& first, const std::string& twice, const std::string& asks) {
  std::string text = "cel.bind(x, " + first + ", ";
  for (int i = 0; i < times; ++i) text += "cel.bind(x, " + twice + ", ";
  return text + asks + std::string(static_cast<std::size_t>(times) + 1, ')');
}

TEST(Expression, ValuesDoNotGrowWithoutBound) {
  EXPECT_EQ(result(doubled(45, "\"a text\"", "x + x", "size(x) > 0")), kTooManySteps);
  EXPECT_EQ(result(doubled(45, "[1, 2]", "x + x", "size(x) > 0")), kTooManySteps);
  EXPECT_EQ(result(doubled(45, "[1, 2]", "[x, x]", "size(x) > 0")), kTooManySteps);
  EXPECT_EQ(result(doubled(20, "optional.of([1])", "optional.of([x, x])", "x == x")), kTooManySteps);
  const std::string many(1000, 'a');
  EXPECT_EQ(result(doubled(4, "\"" + many + "\"", "x.replace(\"a\", \"" + many + "\")", "size(x) > 0")),
            "the text is too long");
  EXPECT_EQ(result(doubled(4, "\"" + many + "\"", "x.split(\"\").join(x)", "size(x) > 0")),
            "the text is too long");
  EXPECT_EQ(result(doubled(8, "\"a text\"", "x + x", "size(x) == 1536")), "true");
}

}  // namespace
}  // namespace muster::cel
