// Reads and checks Step documents: actions at a given time.
#include "loader/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "document/json.hpp"
#include "grouper/workload_pods.hpp"
#include "loader/inputs.hpp"
#include "util/printable.hpp"
#include "util/suggest.hpp"

namespace muster::loader {
namespace {

constexpr auto kMembers =
    std::to_array<std::string_view>({"apiVersion", "kind", "metadata", "at", "apply", "delete", "cordon",
                                     "uncordon", "drain", "fail", "repair", "remove", "scale"});

struct NodeWord {
  const char* word;
  Step::NodeAct act;
};
constexpr NodeWord kNodeWords[] = {{"cordon", Step::NodeAct::kCordon}, {"uncordon", Step::NodeAct::kUncordon},
                                   {"drain", Step::NodeAct::kDrain},   {"fail", Step::NodeAct::kFail},
                                   {"repair", Step::NodeAct::kRepair}, {"remove", Step::NodeAct::kRemove}};

std::string_view member_text(Json object, std::string_view key) {
  std::string_view text;
  return object.is_object() && object.at_key(key).get(text) == simdjson::SUCCESS ? text : std::string_view();
}

// Splits "namespace/name" or "name". For the latter, `ns` is the namespace, if set.
void split_name(std::string_view given, std::string_view ns, std::string& into_ns, std::string& into_name) {
  const std::size_t slash = given.find('/');
  into_ns = slash != given.npos ? given.substr(0, slash) : ns.empty() ? "default" : ns;
  into_name = slash != given.npos ? given.substr(slash + 1) : given;
}

class StepReader {
 public:
  using Take = std::function<void(const Document&)>;
  StepReader(const Document& document, const DecodeOptions& options, Inputs& inputs, const Take& take)
      : document_(document), options_(options), inputs_(inputs), take_(take) {}

  void read() {
    const Json root = document_.root();
    if (!root.is_object()) return fail("", "is not an object");
    step_.where = at("");
    check_members(root);
    if (!read_time(root)) return;
    const std::size_t before = action_count_;
    read_apply(root);
    read_delete(root);
    read_node_acts(root);
    read_scale(root);
    if (action_count_ == before && !has_failed_)
      warn("",
           "has no effect; specify at least one of apply, delete, cordon, uncordon, drain, fail, repair, "
           "remove, scale");
    if (!has_failed_) inputs_.agenda.steps.push_back(std::move(step_));
    for (Step& more : node_steps_) inputs_.agenda.steps.push_back(std::move(more));
  }

 private:
  Location at(std::string_view path) const {
    return {.file = document_.file(),
            .line = document_.line_of(path),
            .object = "Step",
            .path = std::string(path)};
  }
  void fail(std::string_view path, std::string message) {
    has_failed_ = true;
    inputs_.findings.errors.push_back({std::move(message), at(path)});
  }
  void warn(std::string_view path, std::string message) {
    inputs_.findings.warnings.push_back({std::move(message), at(path)});
  }

  void check_members(Json root) {
    for (const auto [key, value] : simdjson::dom::object(root))
      if (std::ranges::find(kMembers, key) == kMembers.end())
        warn(key, "unknown field, ignored" + did_you_mean(key, kMembers));
  }

  bool read_time(Json root) {
    const std::string_view text = member_text(root, "at");
    if (const auto instant = parse_time(text)) {
      step_.at = *instant;
    } else if (const auto after = parse_duration(text); after && *after >= Duration::zero()) {
      step_.at = inputs_.now + *after;
    } else {
      fail("at", text.empty() ? "is missing; expected an offset from the start (e.g. 2h) or a timestamp "
                                "(e.g. 2025-06-01T12:00:00Z)"
                              : fmt::format("\"{}\" is neither an offset from the start (e.g. 2h) nor a "
                                            "timestamp (e.g. 2025-06-01T12:00:00Z)",
                                            beginning_of(text, 80)));
      return false;
    }
    if (step_.at >= inputs_.now) return true;
    warn("at", "is before the start; the step is applied at the start");
    return true;
  }

  // Reads one object or a List of objects.
  void read_apply(Json root) {
    Json given;
    if (root.at_key("apply").get(given) != simdjson::SUCCESS || given.is_null()) return;
    ++action_count_;
    if (!given.is_object()) return fail("apply", "is not an object");
    DecodeOptions options = options_;
    options.now = step_.at;
    const std::string text = simdjson::minify(given);
    Findings own;
    read_documents_in(
        document_.file(), text,
        [&](const Document& object) {
          if (grouper::makes_pods(std::string(object.api_version()), std::string(object.kind())))
            return step_.apply_workloads.push_back(simdjson::minify(object.root()));
          if (names_no_group(object)) return read_as_created(object);
          decode_object(
              object, options, [&](Object&& decoded) { step_.apply.push_back(std::move(decoded)); }, own);
        },
        [&](const Error& error) { own.errors.push_back(error); });
    pass_on(own);
  }

  static bool names_no_group(const Document& object) {
    const Json root = object.root();
    simdjson::dom::object metadata;
    Json named;
    return object.kind() == "Pod" && object.api_version() == "v1" &&
           root.at_pointer("/metadata").get(metadata) == simdjson::SUCCESS &&
           root.at_pointer("/metadata/annotations/pod-group-name").get(named) != simdjson::SUCCESS;
  }

  void read_as_created(const Document& object) {
    nlohmann::json pod = nlohmann::json::parse(std::string(simdjson::minify(object.root())));
    pod["metadata"]["creationTimestamp"] = format_time(step_.at);
    read_documents_in(document_.file(), pod.dump(), take_,
                      [&](const Error& error) { fail("apply", error.message); });
  }

  void pass_on(Findings& own) {
    for (Error& error : own.errors) fail("apply." + error.where.path, std::move(error.message));
    for (Error& warning : own.warnings) warn("apply." + warning.where.path, std::move(warning.message));
    for (const auto& [kind, count] : own.unknown_kinds)
      fail("apply.kind", kind.empty() ? "is missing" : "objects of kind " + kind + " cannot be applied");
  }

  void read_delete(Json root) {
    Json given;
    if (root.at_key("delete").get(given) != simdjson::SUCCESS || given.is_null()) return;
    ++action_count_;
    if (member_text(given, "kind").empty()) return fail("delete.kind", "is missing");
    if (member_text(given, "name").empty()) return fail("delete.name", "is missing");
    step_.delete_kind = member_text(given, "kind");
    split_name(member_text(given, "name"), member_text(given, "namespace"), step_.delete_ns,
               step_.delete_name);
  }

  // Several nodes in one step become separate steps at the same time.
  void read_node_acts(Json root) {
    for (const auto& [word, act] : kNodeWords) {
      Json given;
      if (root.at_key(word).get(given) != simdjson::SUCCESS || given.is_null()) continue;
      ++action_count_;
      std::string_view name;
      simdjson::dom::array names;
      if (given.get(name) == simdjson::SUCCESS && !name.empty()) {
        add_node(name, act);
      } else if (given.get(names) == simdjson::SUCCESS) {
        for (const Json item : names)
          if (item.get(name) == simdjson::SUCCESS && !name.empty())
            add_node(name, act);
          else
            fail(word, "is not a node name");
      } else {
        fail(word, "is not a node name");
      }
    }
  }
  void add_node(std::string_view name, Step::NodeAct act) {
    node_steps_.push_back(
        {.at = step_.at, .act = act, .node = std::string(name), .where = at(muster::name_of(act))});
  }

  void read_scale(Json root) {
    Json given;
    if (root.at_key("scale").get(given) != simdjson::SUCCESS || given.is_null()) return;
    ++action_count_;
    std::string_view name = member_text(given, "workload");
    if (name.empty()) name = member_text(given, "name");
    if (name.empty()) return fail("scale.workload", "is missing");
    if (const std::size_t space = name.find(' '); space != name.npos) {  // "Deployment default/web"
      step_.scale_kind = name.substr(0, space);
      name = name.substr(space + 1);
    } else {
      step_.scale_kind = member_text(given, "kind");
    }
    split_name(name, member_text(given, "namespace"), step_.scale_ns, step_.scale_name);
    std::int64_t replicas = 0;
    if (given.at_key("replicas").get(replicas) != simdjson::SUCCESS || replicas < 0 ||
        replicas > grouper::kMostPods)
      return fail("scale.replicas", fmt::format("is not a whole number from 0 to {}", grouper::kMostPods));
    step_.replicas = replicas;
  }

  const Document& document_;
  const DecodeOptions& options_;
  Inputs& inputs_;
  const Take& take_;
  Step step_;
  std::vector<Step> node_steps_;
  std::size_t action_count_ = 0;
  bool has_failed_ = false;
};

// Keeps an object that appears at `at`. A pod may be read twice; the second reading replaces the first.
void keep_for_later(TimePoint at, Object&& object, Agenda& agenda) {
  if (const auto* pod = std::get_if<PodObject>(&object)) {
    const auto [known, is_new] =
        agenda.later_pods.try_emplace(pod->meta.ns + "/" + pod->meta.name, agenda.later.size());
    if (!is_new) return void(agenda.later[known->second] = {at, std::move(object)});
  }
  agenda.later.push_back({at, std::move(object)});
}

}  // namespace

bool is_step(const Document& document) {
  return document.kind() == "Step" && document.api_version().starts_with("muster.dev/");
}

void read_step(const Document& document, const DecodeOptions& options, Inputs& inputs,
               const std::function<void(const Document&)>& take) {
  StepReader(document, options, inputs, take).read();
}

void check_steps(Inputs& inputs) {
  std::vector<std::string> known;
  for (const auto& [name, node] : inputs.agenda.nodes) known.push_back(name);
  const auto add = [&](const Object& object) {
    if (const auto* node = std::get_if<NodeObject>(&object)) known.push_back(node->meta.name);
  };
  for (const Agenda::Later& later : inputs.agenda.later) add(later.object);
  for (const Step& step : inputs.agenda.steps)
    for (const Object& object : step.apply) add(object);
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (const Step& step : inputs.agenda.steps)
    if (!step.node.empty() && std::ranges::find(known, step.node) == known.end())
      inputs.findings.warnings.push_back(
          {fmt::format("node \"{}\" does not exist{}", step.node, did_you_mean(step.node, names)),
           step.where});
}

bool note_time(Object& object, TimePoint start, Agenda& agenda) {
  const TimePoint created = std::visit([](const auto& known) { return known.meta.created; }, object);
  if (created > start) {
    keep_for_later(created, std::move(object), agenda);
    return true;
  }
  note_work(object, agenda);
  if (const auto* node = std::get_if<NodeObject>(&object)) agenda.nodes[node->meta.name] = *node;
  return false;
}

void note_work(const Object& object, Agenda& agenda) {
  if (const auto* pod = std::get_if<PodObject>(&object); pod != nullptr && !pod->work.is_empty())
    agenda.pods[pod->meta.ns + "/" + pod->meta.name] = pod->work;
  if (const auto* group = std::get_if<PodGroupObject>(&object); group != nullptr && !group->work.is_empty())
    agenda.groups[group->meta.ns + "/" + group->meta.name] = group->work;
}

}  // namespace muster::loader
