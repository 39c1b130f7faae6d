// Base64 as kubeconfig files have it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::kube {

// Nothing if the text is not base64; white space is skipped.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace muster::kube
