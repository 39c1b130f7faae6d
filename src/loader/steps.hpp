// Reads objects that appear later, the work of pods, and steps from files. docs/time.md 2.
#pragma once

#include <functional>

#include "document/document.hpp"
#include "manifest/manifest.hpp"
#include "sim/agenda.hpp"

namespace muster::loader {

struct Inputs;

// `kind: Step` of muster.dev/v1.
bool is_step(const Document& document);
// Reads a step into the agenda of the inputs, and errors into their findings. A pod without a PodGroup is
// passed to `take` with the time of the step as its creation time, so that it is grouped like pods in files.
void read_step(const Document& document, const DecodeOptions& options, Inputs& inputs,
               const std::function<void(const Document&)>& take);
// Warns about steps for nodes that never exist. Call once all files are read.
void check_steps(Inputs& inputs);

// Records the work of a pod or PodGroup in the agenda.
void note_work(const Object& object, Agenda& agenda);
// Records work and nodes in the agenda. If the object is created after `start`, moves it to the agenda
// instead and returns true.
bool note_time(Object& object, TimePoint start, Agenda& agenda);

}  // namespace muster::loader
