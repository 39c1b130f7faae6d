// Places the next tasks of a pending job where there is room.
#pragma once

#include <optional>
#include <string>

#include "engine/cycle/session.hpp"

namespace muster {

// Binds the next chunk of the job on these nodes, or nominates all of it if a part must wait for its place.
// Returns why not; then nothing has changed.
std::optional<JobReason> place_next(Session& session, const std::string& action, JobId job,
                                    const Bitmap* allowed = nullptr);

}  // namespace muster
