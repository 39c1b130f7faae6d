// Checks the first bytes of a file and passes it to the right unpacker.
#include "document/texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

namespace muster {
namespace {

// Why an unpacked text is refused, or "".
std::string mistake_inside(std::string_view text) {
  switch (packing_of(text)) {
    case Packing::kNone:
      return "";
    case Packing::kOther:
      return fmt::format("contains {} data, which is not supported; unpack it first",
                         name_of_other_packing(text));
    default:
      return "is compressed twice; unpack it once first";
  }
}

class TextsOfFile {
 public:
  TextsOfFile(const std::string& file, const std::function<void(NamedText)>& use,
              const std::function<void(const Error&)>& fail, const UnpackLimits& limits)
      : file_(file), use_(use), fail_(fail), limits_(limits) {}

  void of(FileText content) {
    const std::string_view bytes = content.text();
    const std::size_t most = limits_.of(bytes.size());
    switch (packing_of(bytes)) {
      case Packing::kNone:
        return use_({file_, std::move(content)});
      case Packing::kGzip:
        return single(unpacked_gzip(bytes, most));
      case Packing::kZstd:
        return single(unpacked_zstd(bytes, most));
      case Packing::kZip:
        return unzip(
            bytes, [&](const std::string& name, TextArea text) { take(inside(name), std::move(text)); },
            [&](const std::string& name, const std::string& message) { fail(inside(name), message); },
            {.bytes = most, .entries = limits_.entries});
      case Packing::kOther:
        return fail(file_,
                    fmt::format("{} files are not supported; unpack it first", name_of_other_packing(bytes)));
    }
  }

 private:
  std::string inside(const std::string& name) const { return name.empty() ? file_ : file_ + ":" + name; }

  void single(Result<TextArea> text) {
    if (!text) return fail(file_, text.error().message);
    take(file_, std::move(*text));
  }

  void take(const std::string& name, TextArea text) {
    if (const std::string mistake = mistake_inside(text.text()); !mistake.empty()) return fail(name, mistake);
    use_({name, FileText(std::move(text)), true});
  }

  void fail(const std::string& name, const std::string& message) { fail_({message, {.file = name}}); }

  const std::string& file_;
  const std::function<void(NamedText)>& use_;
  const std::function<void(const Error&)>& fail_;
  const UnpackLimits& limits_;
};

}  // namespace

NamedText named_text(std::string name, std::string_view text) {
  TextArea area;
  char* const room = area.room(text.size());
  if (room == nullptr) throw std::bad_alloc();
  std::ranges::copy(text, room);
  area.grew(text.size());
  return {std::move(name), FileText(std::move(area))};
}

void reporting_out_of_memory(const std::string& name, const std::function<void(const Error&)>& fail,
                             const std::function<void()>& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    fail({"not enough memory to read it", {.file = name}});
  } catch (const std::length_error&) {
    fail({"contains a text that exceeds the address space", {.file = name}});
  }
}

void for_each_text(const std::string& file, const std::function<void(NamedText)>& use,
                   const std::function<void(const Error&)>& fail, const UnpackLimits& limits) {
  reporting_out_of_memory(file, fail, [&] {
    auto content = FileText::open(file);
    if (!content) return fail(content.error());
    TextsOfFile(file, use, fail, limits).of(std::move(*content));
  });
}

}  // namespace muster
