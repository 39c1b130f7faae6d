// The texts that a file holds: itself; unpacked, where it is compressed; each manifest of a zip archive.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "document/document.hpp"
#include "document/file_text.hpp"
#include "document/unpack.hpp"

namespace muster {

struct NamedText {
  std::string name;  // of the file; "snap.zip:snapshot.json" of what is inside an archive
  FileText text;
  bool is_unpacked = false;
};

// Text that is there already.
NamedText named_text(std::string name, std::string_view text);

// Runs `work` on what is called `name`. Where memory does not suffice, `fail` is called.
void within_memory(const std::string& name, const std::function<void(const Error&)>& fail,
                   const std::function<void()>& work);

// "-" is standard input. What can not be opened or unpacked is passed to `fail`.
void for_each_text(const std::string& file, const std::function<void(NamedText)>& use,
                   const std::function<void(const Error&)>& fail, const UnpackLimits& limits = {});

// Whether snapshots of KAI-Scheduler arrive as their objects or as one document.
enum class Snapshots { kUnfolded, kWhole };

// The documents of a text that may be read again.
void read_documents_of(const NamedText& text, Snapshots snapshots,
                       const std::function<void(const Document&)>& use,
                       const std::function<void(const Error&)>& fail);
// The documents of a text whose memory may be given back on the way.
void read_documents_of(NamedText&& text, const std::function<void(const Document&)>& use,
                       const std::function<void(const Error&)>& fail);

}  // namespace muster
