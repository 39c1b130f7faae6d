// Loads NVIDIA's management library at run time, so that muster does not depend on it.
#include "cli/serve/gpu_device.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace muster::cli {
namespace {

constexpr const char* kNvml = "libnvidia-ml.so.1";
constexpr int kNvmlSuccess = 0;
constexpr unsigned kLongestUuid = 96;  // always enough, according to the library's documentation

using Library = std::unique_ptr<void, int (*)(void*)>;

template <class Function>
Function function_in(const Library& library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library.get(), name));
}

std::string uuid_of_first_device() {
  const Library library(::dlopen(kNvml, RTLD_LAZY | RTLD_LOCAL), &::dlclose);
  if (library == nullptr) return "";
  const auto init = function_in<int (*)()>(library, "nvmlInit_v2");
  const auto device_at = function_in<int (*)(unsigned, void**)>(library, "nvmlDeviceGetHandleByIndex_v2");
  const auto uuid_of = function_in<int (*)(void*, char*, unsigned)>(library, "nvmlDeviceGetUUID");
  const auto shut_down = function_in<int (*)()>(library, "nvmlShutdown");
  if (!init || !device_at || !uuid_of || !shut_down || init() != kNvmlSuccess) return "";
  std::array<char, kLongestUuid> uuid{};
  void* device = nullptr;
  const bool is_found =
      device_at(0, &device) == kNvmlSuccess && uuid_of(device, uuid.data(), kLongestUuid - 1) == kNvmlSuccess;
  shut_down();
  return is_found ? std::string(uuid.data()) : "";
}

}  // namespace

std::string assigned_gpu() {
  if (std::string uuid = uuid_of_first_device(); !uuid.empty()) return uuid;
  const char* const visible = std::getenv("NVIDIA_VISIBLE_DEVICES");
  const std::string_view devices = visible == nullptr ? "" : visible;
  const bool names_some = !devices.empty() && devices != "void" && devices != "none" && devices != "all";
  return names_some ? std::string(devices.substr(0, devices.find(','))) : "";
}

}  // namespace muster::cli
