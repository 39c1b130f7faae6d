// Decisions as writes to the API server, all at once.
#pragma once

#include "model/source.hpp"
#include "serve/write/write_parts.hpp"

namespace muster::serve {

class Assumptions;
class Binder;
class Evictor;
class PodGroupWriter;

class LiveSink final : public DecisionSink {
 public:
  struct Writers {
    Binder& binder;
    Evictor& evictor;
    PodGroupWriter& groups;
  };
  LiveSink(const WriteParts& parts, Assumptions& assumptions, const Writers& writers)
      : p_(parts), assumptions_(assumptions), writers_(writers) {}

  // What is decided is assumed to have happened: to be called before anything else is told to the cluster.
  void assume(Cluster& cluster, const Decisions& decisions, TimePoint now);
  void carry_out(const Cluster& cluster, const Decisions& decisions, TimePoint now) override;

  // Writes under way or waiting.
  int open_writes() const;

 private:
  const WriteParts p_;
  Assumptions& assumptions_;
  const Writers writers_;
};

}  // namespace muster::serve
