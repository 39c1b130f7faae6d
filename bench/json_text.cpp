// Writes objects as JSON.
#include "json_text.hpp"

#include <fmt/format.h>

namespace muster::bench {
namespace {

// Fields that the scheduler does not read, so that decoding has something to skip.
constexpr const char* kManagedFields =
    R"("managedFields":[{"manager":"kubelet","operation":"Update","fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:conditions":{},"f:containerStatuses":{},"f:phase":{}}}}])";

std::string quantities(const std::vector<NamedAmount>& amounts) {
  std::string text;
  for (const NamedAmount& a : amounts) {
    const bool is_gpu = a.name == "nvidia.com/gpu";
    text += fmt::format(R"({}"{}":"{}{}")", text.empty() ? "" : ",", a.name,
                        is_gpu ? a.units / kOneGpu : a.units, a.name == "cpu" ? "m" : "");
  }
  return "{" + text + "}";
}

std::string labels_text(const Labels& labels) {
  std::string text;
  for (const auto& [key, value] : labels)
    text += fmt::format(R"({}"{}":"{}")", text.empty() ? "" : ",", key, value);
  return "{" + text + "}";
}

class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  void operator()(const NodeObject& o) const {
    line(
        "v1", "Node", o.meta, "",
        fmt::format(
            R"("status":{{"capacity":{0},"allocatable":{0},"conditions":[{{"type":"Ready","status":"True"}}]}})",
            quantities(o.allocatable)));
  }
  void operator()(const QueueObject& o) const {
    line("scheduling.run.ai/v2", "Queue", o.meta, "",
         fmt::format(R"("spec":{{{}"resources":{{"cpu":{},"memory":{},"gpu":{}}}}})",
                     o.parent_name.empty() ? "" : fmt::format(R"("parentQueue":"{}",)", o.parent_name),
                     amounts(o.cpu), amounts(o.memory), amounts(o.gpu)));
  }
  void operator()(const PriorityClassObject& o) const {
    line("scheduling.k8s.io/v1", "PriorityClass", o.meta, "", fmt::format(R"("value":{})", o.value));
  }
  void operator()(const PodGroupObject& o) const {
    line("scheduling.run.ai/v2alpha2", "PodGroup", o.meta, times(o),
         fmt::format(
             R"("spec":{{"queue":"{}","priorityClassName":"{}","preemptibility":"{}","minMember":{}}})",
             o.queue, o.priority_class, o.preemptibility, o.min_member.value_or(1)));
  }
  void operator()(const PodObject& o) const {
    const std::string group = o.pod_group.empty() ? "" : fmt::format(R"("pod-group-name":"{}")", o.pod_group);
    line(
        "v1", "Pod", o.meta, group,
        fmt::format(
            R"("spec":{{"schedulerName":"{}",{}"containers":[{{"name":"main","image":"registry/none:latest","resources":{{"requests":{}}}}}]}},"status":{{"phase":"{}"}})",
            o.scheduler, o.node.empty() ? "" : fmt::format(R"("nodeName":"{}",)", o.node),
            quantities(o.requests), o.phase == PodPhase::kRunning ? "Running" : "Pending"));
  }
  template <class Other>
  void operator()(const Other&) const {}

 private:
  static std::string times(const PodGroupObject& o) {
    std::string text;
    if (o.last_start)
      text = fmt::format(R"("kai.scheduler/last-start-timestamp":"{}")", format_time(*o.last_start));
    if (o.expected_runtime)
      text += fmt::format(R"(,"kai.scheduler/expected-runtime":"{}")", *o.expected_runtime);
    return text;
  }
  static std::string amounts(const QueueAmounts& a) {
    return fmt::format(R"({{"quota":{},"limit":{},"overQuotaWeight":{}}})", a.quota, a.limit, a.weight);
  }
  void line(const char* version, const char* kind, const Meta& meta, const std::string& annotations,
            const std::string& body) const {
    out_ += fmt::format(
        R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"{}",{}"uid":"{}","creationTimestamp":"{}","labels":{},"annotations":{{{}}},{}}},{}}})",
        version, kind, meta.name, meta.ns.empty() ? "" : fmt::format(R"("namespace":"{}",)", meta.ns),
        meta.uid, format_time(meta.created), labels_text(meta.labels), annotations, kManagedFields, body);
    out_ += '\n';
  }

  std::string& out_;
};

}  // namespace

std::string json_text(const ClusterShape& shape) {
  std::string text;
  const JsonWriter writer(text);
  generate(shape, [&](Object&& object) { std::visit(writer, object); });
  return text;
}

}  // namespace muster::bench
