// How the parts of a text output look.
#pragma once

#include <limits>
#include <set>
#include <string>

#include "cli/report/paint.hpp"
#include "cli/report/table.hpp"
#include "model/cluster.hpp"

namespace muster::cli {

struct TextStyle {
  Paint paint{};
  std::size_t width = 100;  // of paragraphs
  bool all = false;         // lists are not cut off
  bool wide = false;        // CPU and memory of queues, too

  std::size_t most_rows() const { return all ? std::numeric_limits<std::size_t>::max() : 40; }
  std::string heading(const std::string& text) const { return "\n" + paint(Ink::kBold, text) + "\n"; }
  TableStyle table() const { return {.paint = paint, .indent = "  ", .most_rows = most_rows()}; }
};

// Jobs by name, with their namespace only where there is more than one.
class JobNames {
 public:
  explicit JobNames(const Cluster& cluster) : cluster_(cluster) {
    std::set<std::string_view> namespaces;
    for (const Job& job : cluster.jobs())
      if (job.present && namespaces.size() < 2) namespaces.insert(job.ns);
    has_namespaces_ = namespaces.size() > 1;
  }
  std::string of(JobId job) const {
    return has_namespaces_ ? cluster_.job(job).full_name() : cluster_.job(job).name;
  }

 private:
  const Cluster& cluster_;
  bool has_namespaces_ = false;
};

}  // namespace muster::cli
