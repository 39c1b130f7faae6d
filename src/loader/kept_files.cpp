// Keeps the texts of files by file name until they are read.
#include "loader/kept_files.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace muster::loader {

namespace {

bool opens_again(const std::string& file) {
  std::error_code ignored;
  return file != "-" && std::filesystem::is_regular_file(file, ignored);
}

}  // namespace

void KeptFiles::look_into(const std::string& file, const std::function<void(NamedText&)>& look) {
  if (kept_.contains(file)) return;
  const bool opens_twice = opens_again(file);
  std::size_t unpacked = 0;
  Kept kept;
  const auto use = [&](NamedText text) {
    look(text);
    if (text.is_unpacked) unpacked += text.text.text().size();
    const bool has_room = text.is_unpacked && unpacked <= room_;
    if (!opens_twice || has_room) kept.texts.push_back(std::move(text));
  };
  for_each_text(file, use, [&](const Error& error) { kept.errors.push_back(error); });
  const bool is_worth_it = unpacked <= room_ && !(kept.texts.empty() && kept.errors.empty());
  if (opens_twice && !is_worth_it) return;
  room_ -= std::min(room_, unpacked);
  kept_.emplace(file, std::move(kept));
}

void KeptFiles::read_documents(const std::string& file, const std::function<void(const Document&)>& use,
                               const std::function<void(const Error&)>& fail) {
  const bool opens_twice = opens_again(file);
  if (!opens_twice) look_into(file, [](NamedText&) {});
  const auto found = kept_.find(file);
  if (found == kept_.end()) return muster::read_documents(file, use, fail);
  for (const Error& error : found->second.errors) fail(error);
  if (!opens_twice) {
    for (const NamedText& text : found->second.texts)
      read_documents_of(text, Snapshots::kUnfolded, use, fail);
    return;
  }
  for (NamedText& text : found->second.texts) {
    if (text.is_unpacked) room_ += text.text.text().size();
    read_documents_of(std::move(text), use, fail);
  }
  kept_.erase(found);
}

}  // namespace muster::loader
