// What files say of time: objects that come later, what pods have to do, and steps. docs/spec/time.md 2.
#pragma once

#include <functional>

#include "document/document.hpp"
#include "manifest/manifest.hpp"
#include "sim/agenda.hpp"

namespace muster::cli {

struct Inputs;

// `kind: Step` of muster.dev/v1.
bool is_step(const Document& document);
// Into the agenda of the inputs; what is wrong with it into their findings. A pod that names no PodGroup is
// handed to `take` as one of the files that is created at that moment, to be grouped like them.
void read_step(const Document& document, const DecodeOptions& options, Inputs& inputs,
               const std::function<void(const Document&)>& take);
// When all files are read: steps that name a node which nothing makes.
void check_steps(Inputs& inputs);

// What pods and groups have to do.
void note_work(const Object& object, Agenda& agenda);
// The same, and what nodes are like. True: it comes only later, and is kept until then.
bool note_time(Object& object, TimePoint start, Agenda& agenda);

}  // namespace muster::cli
