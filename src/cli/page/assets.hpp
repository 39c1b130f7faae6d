// Files that the build puts into the program: those beside this one, and the charting library.
#pragma once

#include <string_view>

namespace muster::cli::assets {

extern const std::string_view kFrame, kStyle, kScript;    // page.html, page.css, page.js
extern const std::string_view kLibrary, kLibraryLicence;  // Chart.js, as Debian has it

}  // namespace muster::cli::assets
