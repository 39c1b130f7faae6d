// Behaves like NVIDIA's management library on a node with one visible GPU. STAND_IN_UUID is its UUID;
// STAND_IN_FAILS is the function that fails: "init", "device" or "uuid".
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

bool is_down = true;
int the_device = 0;

bool fails(const char* name) {
  const char* const failing = std::getenv("STAND_IN_FAILS");
  return failing != nullptr && std::strcmp(failing, name) == 0;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  if (fails("init")) return 9;  // NVML_ERROR_DRIVER_NOT_LOADED
  is_down = false;
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (is_down) return 1;                        // NVML_ERROR_UNINITIALIZED
  if (index != 0 || fails("device")) return 2;  // NVML_ERROR_INVALID_ARGUMENT
  *device = &the_device;
  return 0;
}

int nvmlDeviceGetUUID(void* device, char* uuid, unsigned length) {
  const char* const name = std::getenv("STAND_IN_UUID");
  if (is_down || fails("uuid")) return 3;  // NVML_ERROR_NOT_SUPPORTED
  if (device != &the_device) return 2;
  if (name == nullptr || std::strlen(name) >= length) return 7;  // NVML_ERROR_INSUFFICIENT_SIZE
  std::strcpy(uuid, name);
  return 0;
}

int nvmlShutdown() {
  is_down = true;
  std::fputs("the management library was shut down\n", stderr);
  return 0;
}
}
