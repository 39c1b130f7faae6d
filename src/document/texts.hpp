// The texts in a file: its own, unpacked if it is compressed, or each manifest of a zip archive.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "document/document.hpp"
#include "document/file_text.hpp"
#include "document/unpack.hpp"

namespace muster {

struct NamedText {
  std::string name;  // of the file, or "snap.zip:snapshot.json" for a file in an archive
  FileText text;
  bool is_unpacked = false;
};

// Wraps text that is in memory already.
NamedText named_text(std::string name, std::string_view text);

// Runs `work` on the text called `name`, and calls `fail` if memory runs out.
void reporting_out_of_memory(const std::string& name, const std::function<void(const Error&)>& fail,
                             const std::function<void()>& work);

// "-" is standard input. Files that cannot be opened or unpacked are passed to `fail`.
void for_each_text(const std::string& file, const std::function<void(NamedText)>& use,
                   const std::function<void(const Error&)>& fail, const UnpackLimits& limits = {});

// Whether KAI-Scheduler snapshots arrive as separate objects or as one document.
enum class Snapshots { kUnfolded, kWhole };

// The documents of a text that may be read again.
void read_documents_of(const NamedText& text, Snapshots snapshots,
                       const std::function<void(const Document&)>& use,
                       const std::function<void(const Error&)>& fail);
// The documents of a text whose memory may be freed while reading.
void read_documents_of(NamedText&& text, const std::function<void(const Document&)>& use,
                       const std::function<void(const Error&)>& fail);

}  // namespace muster
