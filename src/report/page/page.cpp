// Inserts data, script, style and the library into the frame of the page.
#include "report/page/page.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "report/page/assets.hpp"
#include "report/page/page_data.hpp"
#include "terminal/output.hpp"

namespace muster::report {
namespace {

// JSON for a script element. Escapes '<', so that no name can end the element.
std::string script_data(const nlohmann::ordered_json& data) {
  const std::string plain = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string result;
  result.reserve(plain.size());
  for (const char c : plain) {
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  }
  return result;
}

// Replaces each name in double braces by its text. Inserted text is not searched again.
std::string filled(std::string_view frame,
                   std::span<const std::pair<std::string_view, std::string_view>> parts) {
  std::string result;
  while (!frame.empty()) {
    const std::size_t begin = frame.find("{{"), end = frame.find("}}");
    result += frame.substr(0, begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    const std::string_view name = frame.substr(begin + 2, end - begin - 2);
    for (const auto& [part, text] : parts)
      if (part == name) result += text;
    frame.remove_prefix(end + 2);
  }
  return result;
}

}  // namespace

std::string page_of(std::span<const ComparedRun> runs) {
  const std::string data = script_data(page_data(runs));
  const std::string title = runs.size() == 1 ? "Simulation" : "Comparison of simulations";
  const std::array<std::pair<std::string_view, std::string_view>, 7> parts{
      {{"style", assets::kStyle},
       {"title", title},
       {"version", MUSTER_VERSION},
       {"data", data},
       {"licence", assets::kLibraryLicence},
       {"library", assets::kLibrary},
       {"script", assets::kScript}}};
  return filled(assets::kFrame, parts);
}

bool PageFile::open(const std::string& path) {
  if (path.empty()) return true;
  path_ = path;
  file_.open(path, std::ios::trunc | std::ios::binary);
  if (!file_) write_message("error: {}: cannot be written", path);
  return static_cast<bool>(file_);
}

bool PageFile::write(std::span<const ComparedRun> runs) {
  if (path_.empty()) return true;
  file_ << page_of(runs);
  file_.close();
  if (!file_) write_message("error: {}: could not be written completely", path_);
  return static_cast<bool>(file_);
}

}  // namespace muster::report
