// Finds snapshots by a word that is rare in other files, and reads the configuration of the first one.
#include "loader/configuration.hpp"

#include <fmt/format.h>

#include <utility>

#include "policy/policy.hpp"

namespace muster::loader {
namespace {

constexpr std::string_view kWordOfSnapshots = "rawObjects", kWordOfState = "SchedulerState";

class SnapshotSearch {
 public:
  explicit SnapshotSearch(KeptFiles& files) : files_(files) {}

  void look_into(const std::string& file) {
    files_.look_into(file, [&](NamedText& text) {
      if (!text.text.contains(kWordOfSnapshots) && !text.text.contains(kWordOfState)) return;
      read_documents_of(
          text, Snapshots::kWhole, [&](const Document& document) { take(document, file); },
          [](const Error&) {});
    });
  }

  InSnapshots take_found() {
    return {std::move(found_), std::move(file_), state_.value_or(SchedulerState{})};
  }

 private:
  void take(const Document& document, const std::string& file) {
    if (is_scheduler_state(document) && !state_) state_ = read_scheduler_state(document);
    auto config = config_in_snapshot(document, names_);
    if (!config) return;
    if (!found_) {
      found_ = std::move(config->loaded);
      text_ = std::move(config->text);
      name_ = document.file();
      file_ = file;
    } else if (config->text != text_) {
      found_->warnings.push_back(
          {fmt::format("the configuration in this snapshot differs from that of {}, which is used", name_),
           {.file = document.file()}});
    }
  }

  KeptFiles& files_;
  const KnownNames names_ = policy::known_names();
  std::optional<LoadedConfig> found_;
  std::optional<SchedulerState> state_;
  std::string text_, name_, file_;  // text, document name and file of the configuration that was found
};

}  // namespace

InSnapshots look_for_snapshots(const std::vector<std::string>& paths, KeptFiles& files) {
  SnapshotSearch search(files);
  for (const std::string& path : paths)
    if (const auto below = files_below(path))
      for (const std::string& file : *below) search.look_into(file);
  return search.take_found();
}

}  // namespace muster::loader
