// Jobs from CSV and JSON lines, and the messages about bad rows.
#include "trace/trace.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "trace/arrivals.hpp"
#include "trace/nodes.hpp"
#include "trace/queues.hpp"
#include "util/damaged_text_for_test.hpp"

namespace muster::trace {
namespace {

std::string text_of(const Trace& trace, const TraceJob& job) {
  std::string text = fmt::format("{} {} q={} pods={}/{}", format_time(job.submit).substr(11), job.name,
                                 trace.texts[job.queue], job.min, job.pods);
  const auto add = [&](const char* name, const std::string& value) {
    text += fmt::format(" {}={}", name, value);
  };
  if (job.gpus > 0) add("gpus", std::to_string(job.gpus));
  if (job.gpu_share > 0) add("share", fmt::format("{}", job.gpu_share));
  if (job.milli_cores > 0) add("cpu", fmt::format("{}m", job.milli_cores));
  if (job.bytes > 0) add("memory", std::to_string(job.bytes));
  for (const auto& [name, id] :
       {std::pair("user", job.user), std::pair("model", job.gpu_model), std::pair("priority", job.priority),
        std::pair("preemptibility", job.preemptibility)})
    if (id != 0) add(name, trace.texts[id]);
  if (job.work.duration)
    add(job.work.duration->law == RunTime::Law::kFixed ? "for" : "drawn",
        format_duration(job.work.duration->first));
  for (const auto& [name, duration] :
       {std::pair("work", job.work.work), std::pair("checkpoint", job.work.checkpoint_every),
        std::pair("restart", job.work.restart_cost), std::pair("fails", job.work.fails_after),
        std::pair("expected", job.expected_runtime)})
    if (duration) add(name, format_duration(*duration));
  return text + "\n";
}

std::string all_of(const Result<Trace>& trace) {
  if (!trace) return "error: " + trace.error().text() + "\n";
  std::string text;
  for (const TraceJob& job : trace->jobs) text += text_of(*trace, job);
  for (const Error& error : trace->bad_rows) text += "bad: " + error.text() + "\n";
  for (const std::string& note : trace->notes) text += "note: " + note + "\n";
  return text;
}

std::string read(std::string_view text, const std::string& format = "", const std::string& map = "") {
  return all_of(read_trace_in({.file = "t", .format = format, .map = map}, text));
}

TEST(Trace, ReadsOurColumns) {
  EXPECT_EQ(
      read("submit,job,queue,pods,gpus,cpu,memory,duration,min,priority,preemptibility,expected_runtime,"
           "gpu_model,user,checkpoint_every,restart_cost,fails_after\n"
           "90,train,research,4,8,64,0.5,2h,2,build,non-preemptible,7200,A100|H100,ann,600,30,1h\n"
           "0,web,prod,,0.25,500m,512Mi,,,,,,,,,,\n"),
      "00:00:00Z web q=prod pods=1/1 share=0.25 cpu=500m memory=536870912\n"
      "00:01:30Z train q=research pods=2/4 gpus=8 cpu=64000m memory=536870912 user=ann model=A100|H100 "
      "priority=build preemptibility=non-preemptible for=2h0m0s checkpoint=10m0s restart=30s fails=1h0m0s "
      "expected=2h0m0s\n");
}

TEST(Trace, ReadsJsonLines) {
  EXPECT_EQ(read("{\"submit\": 5, \"job\": \"a\", \"gpus\": 0.5, \"duration\": \"exp(2h)\"}\n"
                 "{\"job\": \"b\", \"submit\": 1.5, \"pods\": 2, \"duration\": null}\n"
                 "[1]\n"),
            "00:00:01.5Z b q=default-queue pods=2/2\n"
            "00:00:05Z a q=default-queue pods=1/1 share=0.5 drawn=2h0m0s\n"
            "bad: t:3: is not a JSON object\n");
}

TEST(Trace, AcceptsCommonVariants) {
  const std::string expected = "00:00:01Z a q=default-queue pods=1/1 for=3s\n";
  EXPECT_EQ(read("\xEF\xBB\xBFsubmit,job,duration\r\n1,a,3\r\n\r\n"), expected);
  EXPECT_EQ(read("submit;job;duration\n1;a;3\n"), expected);
  EXPECT_EQ(read("submit\tjob\tduration\n1\ta\t3\n"), expected);
  EXPECT_EQ(read("\n\nsubmit, job, duration\n 1.0, \"a\", 3s\n"), expected);
  EXPECT_EQ(read("[{\"submit\": 1, \"job\": \"a\", \"duration\": 3}]"), expected);
}

TEST(Trace, JobsSubmittedTogetherStayInOrder) {
  EXPECT_EQ(read("submit,job,duration\n2,c,1\n1,z,1\n1,a,1\n"),
            "00:00:01Z z q=default-queue pods=1/1 for=1s\n"
            "00:00:01Z a q=default-queue pods=1/1 for=1s\n"
            "00:00:02Z c q=default-queue pods=1/1 for=1s\n");
}

TEST(Trace, TimestampsStartAtTheFirstOne) {
  const auto trace = read_trace_in(
      {.file = "t"}, "submit,job,duration\n2020-06-09 18:41:28,b,1\n2020-06-09T18:41:01Z,a,1\n");
  ASSERT_TRUE(trace && trace->has_instants);
  EXPECT_EQ(format_time(*trace->first_instant()), "2020-06-09T18:41:01Z");
  EXPECT_EQ(format_time(trace->submitted(trace->jobs[1], TimePoint())), "2020-06-09T18:41:28Z");
  EXPECT_EQ(read("submit,job,duration\n5,a,1\n2020-06-09T18:41:01Z,b,1\n"),
            "00:00:05Z a q=default-queue pods=1/1 for=1s\n"
            "bad: t:3: submit: is a timestamp, but earlier rows have seconds from the start\n");
}

TEST(Trace, ReportsBadRowsAndContinues) {
  EXPECT_EQ(read("submit,job,pods,gpus,cpu,memory,duration,min,preemptibility\n"
                 "x,a,,,,,,,\n"
                 "-1,b,,,,,,,\n"
                 "1,c,0,,,,,,\n"
                 "1,d,2.5,,,,,,\n"
                 "1,e,,1.5,,,,,\n"
                 "1,f,,-1,,,,,\n"
                 "1,g,,,lots,,,,\n"
                 "1,h,,,,-1,,,\n"
                 "1,i,,,,,1 hour,,\n"
                 "1,j,,,,,1e99,,\n"
                 "1,k,2,,,,,3,\n"
                 "1,l,,,,,,,preemptable\n"
                 "1,m\n"
                 "1,,,,,,,,\n"
                 "1,a/b,,,,,,,\n"
                 "1,\"n\n1,o,inf,,,,,,\n"
                 "1,p,1000000000,,,,,,\n"
                 "1,good,,,,,60,,\n"
                 "1,good,,,,,60,,\n"
                 "1,q,,,,,gauss(1h),,\n"),
            "00:00:01Z good q=default-queue pods=1/1 for=1m0s\n"
            "bad: t:2: submit: \"x\" is not a time such as 3600 (seconds from the start), 1h30m or "
            "2025-06-01T12:00:00Z\n"
            "bad: t:3: submit: \"-1\" is negative\n"
            "bad: t:4: pods: \"0\" is less than 1\n"
            "bad: t:5: pods: \"2.5\" is not a whole number\n"
            "bad: t:6: gpus: \"1.5\" is more than one GPU but not a whole number\n"
            "bad: t:7: gpus: \"-1\" is negative\n"
            "bad: t:8: cpu: \"lots\" is not an amount such as 4 or 500m\n"
            "bad: t:9: memory: \"-1\" is negative\n"
            "bad: t:10: duration: \"1 hour\" is not a duration such as 3600 (seconds) or 1h30m\n"
            "bad: t:11: duration: \"1e99\" is longer than 100 years\n"
            "bad: t:12: min: 3 is more than the 2 pods of the job\n"
            "bad: t:13: preemptibility: \"preemptable\" is not one of preemptible, non-preemptible, "
            "semi-preemptible; "
            "did you mean \"preemptible\"?\n"
            "bad: t:14: has 2 values, but the header has 9\n"
            "bad: t:15: job: is missing\n"
            "bad: t:16: job: \"a/b\" contains a slash\n"
            "bad: t:17: a quote is not closed\n"
            "bad: t:18: pods: \"inf\" is not a whole number\n"
            "bad: t:19: pods: \"1000000000\" is more than 100000\n"
            "bad: t:21: job: job \"good\" already appears in line 20\n"
            "bad: t:22: duration: \"gauss(1h)\" is not a distribution such as exp(2h), uniform(1h,3h) or "
            "lognormal(median=2h,p90=8h)\n");
}

TEST(Trace, NamesMustBeUtf8AndNotTooLong) {
  const std::string longest(253, 'x');
  EXPECT_EQ(read("job,duration\n" + longest + ",1\n" + longest + "y,1\n\xFF,1\na\x01,1\n<script>,1\n"),
            "00:00:00Z " + longest +
                " q=default-queue pods=1/1 for=1s\n"
                "00:00:00Z <script> q=default-queue pods=1/1 for=1s\n"
                "bad: t:3: job: \"" +
                longest.substr(0, 40) +
                "…\" has 254 characters; the maximum is 253\n"
                "bad: t:4: job: is not valid UTF-8\n"
                "bad: t:5: job: contains invisible characters\n"
                "note: no column submit: all jobs arrive at the start\n");
}

TEST(Trace, ReportsBadFiles) {
  EXPECT_EQ(read(""), "error: t: is empty; a trace begins with its column names\n");
  EXPECT_EQ(read("\xFF\xFEs\0u\0"), "error: t: is UTF-16; save it as UTF-8\n");
  EXPECT_EQ(read("job,job\n1,2\n"), "error: t:1: column \"job\" appears twice\n");
  EXPECT_EQ(read("a,b\n1,2\n").substr(0, 55), "error: t:1: has none of the known columns (submit, job,");
  EXPECT_EQ(read("job,duraton,extra\na,1,2\n"),
            "00:00:00Z a q=default-queue pods=1/1\n"
            "note: ignored columns: duraton; did you mean \"duration\"?, extra\n"
            "note: no column submit: all jobs arrive at the start\n"
            "note: no column duration: jobs run forever\n");
}

TEST(Trace, JobsWithoutNamesAreNumbered) {
  EXPECT_EQ(read("submit,duration\n1,1\n2,1\n"),
            "00:00:01Z job-1 q=default-queue pods=1/1 for=1s\n"
            "00:00:02Z job-2 q=default-queue pods=1/1 for=1s\n");
}

TEST(TraceMap, ComputesOurColumns) {
  EXPECT_EQ(
      read("creation_time,deletion_time,num_gpu,gpu_milli,name\n10,70,1,250,a\n10,70,2,1000,b\n10,x,1,1,c\n",
           "",
           "submit=creation_time, duration=deletion_time-creation_time, gpus=num_gpu*gpu_milli/1000, "
           "job=name"),
      "00:00:10Z a q=default-queue pods=1/1 share=0.25 for=1m0s\n"
      "00:00:10Z b q=default-queue pods=1/1 gpus=2 for=1m0s\n"
      "bad: t:4: duration = deletion_time-creation_time: \"x\" in column deletion_time is not a number\n");
}

TEST(TraceMap, ReportsMissingColumns) {
  EXPECT_EQ(read("job,num_gpus\na,1\n", "", "gpus=num_gpu"),
            "error: t:1: the file has no column \"num_gpu\" for gpus; did you mean \"num_gpus\"?; its "
            "columns are job, num_gpus\n");
  EXPECT_EQ(read("job\na\n", "", "gpu=1").substr(0, 90),
            "error: --trace-map: character 1: unknown column \"gpu\"; did you mean \"gpus\"?; known columns");
  EXPECT_EQ(read("job\na\n", "", "gpus=1+").substr(0, 62),
            "error: --trace-map: character 8, at the end: expected a column");
  EXPECT_EQ(
      read("job\na\n", "openbb"),
      "error: --trace-format: \"openbb\" is not one of openb, philly, helios, alibaba-spot, tiresias; did "
      "you mean "
      "\"openb\"?\n");
}

TEST(TraceFormat, Openb) {
  EXPECT_EQ(
      read(
          "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,"
          "scheduled_time\n"
          "openb-pod-0001,6000,12288,1,460,,LS,Running,427061,12902960,427061\n"
          "openb-pod-0017,88000,327680,8,1000,V100M16|V100M32,Burstable,Succeeded,9437497,10769854,9437497\n",
          "openb"),
      "22:37:41Z openb-pod-0001 q=LS pods=1/1 share=0.46 cpu=6000m memory=12884901888 for=3465h31m39s\n"
      "05:31:37Z openb-pod-0017 q=Burstable pods=1/1 gpus=8 cpu=88000m memory=343597383680 "
      "model=V100M16|V100M32 for=370h5m57s\n");
}

TEST(TraceFormat, Philly) {
  EXPECT_EQ(read(R"([{"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": [
    {"start_time": "2017-10-07 01:12:09", "end_time": "2017-10-07 01:13:23", "detail": [{"ip": "m47", "gpus": ["gpu0", "gpu1"]}]},
    {"start_time": "2017-10-07 01:13:30", "end_time": "2017-10-07 02:13:30", "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}]}],
    "submitted_time": "2017-10-07 01:11:39", "user": "ce2f4c"},
    {"vc": "a", "jobid": "none", "attempts": [], "submitted_time": "2017-10-07 01:11:40", "user": "u"}])",
                 "philly"),
            "01:11:39Z application_1 q=ee9e8c pods=1/1 gpus=2 user=ce2f4c for=1h1m14s\n"
            "bad: t: row 2: gpus = attempts.gpus: is missing\n");
}

TEST(TraceFormat, Helios) {
  EXPECT_EQ(
      read("job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
           "1425512,uVMrF,vchbv,20,16,3,FAILED,2020-06-09 18:41:27,2020-06-09 18:41:27,2020-06-09 "
           "18:45:36,249,0\n",
           "helios"),
      "18:41:27Z 1425512 q=vchbv pods=3/3 gpus=7 cpu=5334m user=uVMrF for=4m9s\n");
}

TEST(TraceFormat, AlibabaSpot) {
  EXPECT_EQ(
      read(
          "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\n"
          "239255,13,A10,20,1,1,0,2764799,HP\n437260,57,A100-SXM4-80GB,15,1,16,9,41060,Spot\n",
          "alibaba-spot"),
      "00:00:00Z 239255 q=13 pods=1/1 gpus=1 cpu=20000m model=A10 priority=90 for=767h59m59s\n"
      "00:00:09Z 437260 q=57 pods=16/16 gpus=1 cpu=15000m model=A100-SXM4-80GB priority=50 for=11h24m20s\n");
}

TEST(TraceFormat, Tiresias) {
  EXPECT_EQ(
      read("job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n1,8,30,133,vgg11,147,23\n",
           "tiresias"),
      "00:00:30Z 1 q=default-queue pods=8/8 gpus=1 for=2m27s\n");
}

std::string text_of(const Object& object) {
  if (const auto* group = std::get_if<PodGroupObject>(&object))
    return fmt::format("{} uid={} queue={} class={} min={} created={}\n", group->meta.name, group->meta.uid,
                       group->queue, group->priority_class, *group->min_member,
                       format_time(group->meta.created));
  const auto& pod = std::get<PodObject>(object);
  std::string text =
      fmt::format("  {} uid={} of {} for {}", pod.meta.name, pod.meta.uid, pod.pod_group, pod.scheduler);
  for (const NamedAmount& amount : pod.requests) text += fmt::format(" {}={}", amount.name, amount.units);
  if (pod.gpu.portion > 0) text += fmt::format(" share={}x{}", pod.gpu.devices, pod.gpu.portion);
  for (const NodeTerm& term : pod.constraints.required_affinity)
    text += fmt::format(" {} in {}", term.labels.front().key, fmt::join(term.labels.front().values, ","));
  for (const auto& [key, value] : pod.meta.labels) text += fmt::format(" {}={}", key, value);
  return text + "\n";
}

TEST(TraceArrivals, MakesObjectsInOrderOfTime) {
  const auto trace =
      read_trace_in({.file = "t"},
                    "submit,job,queue,pods,min,gpus,cpu,memory,duration,priority,gpu_model,user\n"
                    "60,b,q,1,,0.5,,,1h,90,A | B,ann\n0,a,q,2,1,8,4,1,1h,train,,\n");
  TraceArrivals arrivals(std::make_shared<Trace>(*trace), *parse_time("2025-06-01T12:00:00Z"),
                         "kai-scheduler");
  std::string all;
  while (const auto at = arrivals.next()) {
    all += "at " + format_time(*at) + ": ";
    for (const Object& object : arrivals.take()) all += text_of(object);
  }
  EXPECT_EQ(
      all,
      "at 2025-06-01T12:00:00Z: a uid=default/a queue=q class=train min=1 created=2025-06-01T12:00:00Z\n"
      "  a-0 uid=default/a-0 of a for kai-scheduler cpu=4000 memory=1073741824 nvidia.com/gpu=8000\n"
      "  a-1 uid=default/a-1 of a for kai-scheduler cpu=4000 memory=1073741824 nvidia.com/gpu=8000\n"
      "at 2025-06-01T12:01:00Z: b uid=default/b queue=q class=trace-priority-90 min=1 "
      "created=2025-06-01T12:01:00Z\n"
      "  b-0 uid=default/b-0 of b for kai-scheduler share=1x0.5 nvidia.com/gpu.product in A,B user=ann\n");
}

TEST(TraceQueues, AreCreatedBelowOneParent) {
  const auto trace = read_trace_in({.file = "t"}, "job,queue,duration\na,x,1\nb,trace,1\nc,y,1\nd,x,1\n");
  const MadeQueues made = missing_queues(
      *trace, [](const std::string& name) { return name == "y"; }, TimePoint());
  std::string all;
  for (const QueueObject& q : made.queues)
    all +=
        fmt::format("{}<{} {}/{}/{}; ", q.meta.name, q.parent_name, q.gpu.quota, q.gpu.limit, q.gpu.weight);
  EXPECT_EQ(all, "trace-queues< -1/-1/1; trace<trace-queues 0/-1/1; x<trace-queues 0/-1/1; ");
  EXPECT_EQ(made.note,
            "2 queues of the trace not defined in any file (trace, x); created below trace-queues with equal "
            "weight and no limit");
  EXPECT_TRUE(missing_queues(
                  *trace, [](const std::string&) { return true; }, TimePoint())
                  .queues.empty());
}

TEST(TracePriorities, NumbersBecomeClasses) {
  const auto trace =
      read_trace_in({.file = "t"}, "job,priority,duration\na,90,1\nb,train,1\nc,-5,1\nd,90,1\n");
  std::string all;
  for (const PriorityClassObject& c : numbered_priorities(*trace))
    all += fmt::format("{}={} ", c.meta.name, c.value);
  EXPECT_EQ(all, "trace-priority--5=-5 trace-priority-90=90 ");
  EXPECT_EQ(priority_class_of("train"), "train");
}

std::string nodes_in(std::string_view text, const std::string& format = "") {
  const auto list = read_nodes_in({.file = "n", .format = format}, text);
  if (!list) return "error: " + list.error().text() + "\n";
  std::string all;
  for (const NodeObject& node : list->nodes) {
    all += node.meta.name;
    for (const auto& [key, value] : node.meta.labels)
      all += " " + key.substr(key.find('/') + 1) + "=" + value;
    for (const NamedAmount& amount : node.allocatable)
      all += fmt::format(" {}={}", amount.name, amount.units);
    all += "\n";
  }
  for (const Error& error : list->bad_rows) all += "bad: " + error.text() + "\n";
  for (const std::string& note : list->notes) all += "note: " + note + "\n";
  return all;
}

TEST(TraceNodes, AreReadFromAFile) {
  EXPECT_EQ(nodes_in("node,gpus,cpu,memory,model\nn1,8,64,512,A100\nn2,0,500m,1Gi,\nn1,1,1,1,\nn3,x,1,1,\n"),
            "n1 hostname=n1 gpu.product=A100 cpu=64000 memory=549755813888 nvidia.com/gpu=8000 pods=110\n"
            "n2 hostname=n2 cpu=500 memory=1073741824 pods=110\n"
            "bad: n:4: node: node \"n1\" already exists\n"
            "bad: n:5: gpus: \"x\" is not a whole number\n");
}

TEST(TraceNodes, ARowMayDescribeSeveral) {
  EXPECT_EQ(nodes_in("gpus,count,pods\n2,2,10\n"),
            "node-0 hostname=node-0 nvidia.com/gpu=2000 pods=10\n"
            "node-1 hostname=node-1 nvidia.com/gpu=2000 pods=10\n"
            "note: no column cpu: nodes have none, so pods that request cpu fit nowhere\n"
            "note: no column memory: nodes have none, so pods that request memory fit nowhere\n");
  EXPECT_EQ(nodes_in("node,gpus,cpu,memory,count\nrack,1,1,1,2\n"),
            "rack-0 hostname=rack-0 cpu=1000 memory=1073741824 nvidia.com/gpu=1000 pods=110\n"
            "rack-1 hostname=rack-1 cpu=1000 memory=1073741824 nvidia.com/gpu=1000 pods=110\n");
}

TEST(TraceNodes, OfPublicTraces) {
  EXPECT_EQ(nodes_in("sn,cpu_milli,memory_mib,gpu,model\nopenb-node-0000,64000,262144,2,P100\n", "openb"),
            "openb-node-0000 hostname=openb-node-0000 gpu.product=P100 cpu=64000 memory=274877906944 "
            "nvidia.com/gpu=2000 pods=110\n");
  EXPECT_EQ(nodes_in("num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n1,2,4,128,256\n",
                     "tiresias"),
            "node-0 hostname=node-0 cpu=128000 memory=274877906944 nvidia.com/gpu=4000 pods=110\n"
            "node-1 hostname=node-1 cpu=128000 memory=274877906944 nvidia.com/gpu=4000 pods=110\n");
  EXPECT_EQ(nodes_in("node,gpus,cpu,memory\nn,1,1,1\n", "openb"),
            "n hostname=n cpu=1000 memory=1073741824 nvidia.com/gpu=1000 pods=110\n");
  EXPECT_EQ(nodes_in("date,vc1\n1,1\n", "helios"),
            "error: n:1: has neither a column node nor a column gpus; the columns of a node list are node, "
            "gpus, cpu, memory, model, "
            "count, pods\n");
}

// ---------------------------------------------------------------- damaged text

constexpr std::string_view kWhole =
    "submit,job,queue,pods,gpus,duration,min,gpu_model\n"
    "0,a,\"x, \"\"y\"\"\",2,0.5,1h,1,A|B\r\n"
    "2020-06-09 18:41:27,b,q,1,8,\"lognormal(median=2h,p90=8h)\",,\n\n"
    "1.5,c,q,,,60,,\n";
constexpr std::string_view kLines =
    "{\"submit\": 1, \"job\": \"a\", \"gpus\": 0.5, \"duration\": \"1h\"}\n{\"job\": \"b\", \"submit\": "
    "\"2s\"}\n";
constexpr std::string_view kAlphabet = "\",\r\n;\t{}[]:-+./eE019xnaA|\x80\xff \\(";

TEST(DamagedTrace, IsAlwaysReadOrRefusedTheSameWay) {
  std::mt19937 random(20250601);
  for (int round = 0; round < 5000; ++round) {
    const std::string text = damaged_text(random, round % 3 == 0 ? kLines : kWhole, kAlphabet);
    const auto trace = read_trace_in({.file = "t"}, text);
    ASSERT_EQ(all_of(trace), read(text)) << text;
    if (!trace) continue;
    ASSERT_EQ(trace->jobs.size() + trace->skipped, trace->rows) << text;
    for (const TraceJob& job : trace->jobs) {
      ASSERT_TRUE(!job.name.empty() && job.pods >= 1 && job.min >= 1 && job.min <= job.pods) << text;
      ASSERT_TRUE(job.gpus >= 0 && job.gpu_share >= 0 && job.gpu_share < 1) << text;
      ASSERT_TRUE(!job.work.duration || job.work.duration->first >= Duration::zero()) << text;
    }
  }
}

}  // namespace
}  // namespace muster::trace
