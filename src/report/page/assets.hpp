// Files that the build embeds in the program: the files in this directory and the charting library.
#pragma once

#include <string_view>

namespace muster::report::assets {

extern const std::string_view kFrame, kStyle, kScript;    // page.html, page.css, page.js
extern const std::string_view kLibrary, kLibraryLicence;  // Chart.js from the Debian package

}  // namespace muster::report::assets
