// Volumes of a pod's claims, before its bind: one that exists is given to its claim as kube-scheduler does
// it, and whoever makes the others is told the node.
#pragma once

#include <string>
#include <vector>

#include "serve/write/requests.hpp"

namespace muster::serve {

// A claim that waits for its first consumer.
struct VolumeNeed {
  std::string claim, claim_uid;
  std::string volume;  // that it gets; "": one is made for it
};

// Waits until all claims are bound, 120 s at most. What went wrong; "": nothing.
kube::Async<std::string> bind_volumes(WriteParts parts, const PodIdentity& pod, const std::string& node,
                                      const std::vector<VolumeNeed>& needs);

// Takes back what was written for claims that did not get their volume. What has its volume keeps it.
kube::Async<void> unbind_volumes(WriteParts parts, const PodIdentity& pod, const std::string& node,
                                 const std::vector<VolumeNeed>& needs);

}  // namespace muster::serve
