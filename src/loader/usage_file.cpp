// Reads shares per queue. Errors have locations and suggestions as in the configuration.
#include "loader/usage_file.hpp"

#include "config/scalars.hpp"
#include "config/setting.hpp"

namespace muster::loader {
namespace {

SettingReader share_into(double& share) {
  return [&share](const Setting& setting) {
    const auto text = setting.text();
    if (!text) return;
    const auto number = to_number(*text);
    if (!number) return setting.fail(number.error().message);
    if (*number < 0) return setting.fail("\"" + *text + "\" is negative");
    share = *number;
  };
}

Shares shares_of(const Setting& queue) {
  Shares shares{};
  queue.read_keys({{"cpu", share_into(shares[index(Accounted::kCores)])},
                   {"memory", share_into(shares[index(Accounted::kBytes)])},
                   {"gpu", share_into(shares[index(Accounted::kGpus)])}});
  return shares;
}

}  // namespace

std::map<std::string, Shares> read_usage(const std::string& path, std::vector<Error>& errors) {
  std::map<std::string, Shares> usage;
  const auto use = [&](const Document& document) {
    Setting(document, errors).each_member([&](const std::string& queue, const Setting& value) {
      usage[queue] = shares_of(value);
    });
  };
  read_documents(path, use, [&](const Error& error) { errors.push_back(error); });
  return usage;
}

}  // namespace muster::loader
