// Provides the volumes of a pod's claims before its bind, as kube-scheduler does: an existing volume is
// assigned to its claim; for other claims the selected node tells the provisioner where to create a volume.
#pragma once

#include <string>
#include <vector>

#include "serve/write/requests.hpp"

namespace muster::serve {

// A claim in binding mode WaitForFirstConsumer.
struct VolumeNeed {
  std::string claim, claim_uid;
  std::string volume;  // the volume to assign; "": the provisioner creates one
};

// Waits until all claims are bound, for at most 120 s. Returns the problem, or "" on success.
kube::Async<std::string> bind_volumes(WriteServices parts, const PodIdentity* pod, std::string node,
                                      const std::vector<VolumeNeed>* needs);

// Reverts what was written for claims that did not get their volume. Claims that have it keep it.
kube::Async<void> unbind_volumes(WriteServices parts, const PodIdentity* pod, std::string node,
                                 const std::vector<VolumeNeed>* needs);

}  // namespace muster::serve
