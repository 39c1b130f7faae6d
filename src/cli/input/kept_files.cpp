// Keeps texts by the name of their file until they are read.
#include "cli/input/kept_files.hpp"

#include <filesystem>
#include <utility>

namespace muster::cli {

void KeptFiles::look_into(const std::string& file, const std::function<bool(NamedText&)>& is_wanted) {
  if (kept_.contains(file)) return;
  std::error_code ignored;
  const bool opens_twice = file != "-" && std::filesystem::is_regular_file(file, ignored);
  bool has_wanted = false;
  Kept kept;
  const auto use = [&](NamedText text) {
    if (is_wanted(text)) has_wanted = true;
    if (!opens_twice || text.is_unpacked) kept.texts.push_back(std::move(text));
  };
  for_each_text(file, use, [&](const Error& error) { kept.errors.push_back(error); });
  const bool is_worth_it = (has_wanted && !kept.texts.empty()) || !kept.errors.empty();
  if (!opens_twice || is_worth_it) kept_.emplace(file, std::move(kept));
}

void KeptFiles::read_documents(const std::string& file, const std::function<void(const Document&)>& use,
                               const std::function<void(const Error&)>& fail) {
  const auto found = kept_.find(file);
  if (found == kept_.end()) return muster::read_documents(file, use, fail);
  Kept kept = std::move(found->second);
  kept_.erase(found);
  for (const Error& error : kept.errors) fail(error);
  for (NamedText& text : kept.texts) read_documents_of(std::move(text), use, fail);
}

}  // namespace muster::cli
