// Carries out decisions by writing to the API server, all concurrently.
#pragma once

#include "model/cluster.hpp"
#include "model/decisions.hpp"
#include "serve/write/write_parts.hpp"

namespace muster::serve {

class Assumptions;
class Binder;
class Evictor;
class PodGroupWriter;

class LiveSink {
 public:
  struct Writers {
    Binder& binder;
    Evictor& evictor;
    PodGroupWriter& groups;
  };
  LiveSink(const WriteServices& parts, Assumptions& assumptions, const Writers& writers)
      : p_(parts), assumptions_(assumptions), writers_(writers) {}

  // Applies the decisions to the model as if they had happened. REQUIRES: no other change has been applied to
  // the cluster since the cycle.
  void assume(Cluster& cluster, const Decisions& decisions, TimePoint now);
  void carry_out(const Cluster& cluster, const Decisions& decisions, TimePoint now);

  // The number of writes in progress or waiting.
  int open_writes() const;

 private:
  const WriteServices p_;
  Assumptions& assumptions_;
  const Writers writers_;
};

}  // namespace muster::serve
