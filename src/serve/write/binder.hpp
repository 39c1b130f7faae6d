// Carries out binds by writing to the API server; each is retried until its outcome is final.
#pragma once

#include <string>
#include <vector>

#include "plugins/refused_jobs.hpp"
#include "serve/write/bind.hpp"

namespace muster::serve {

class GpuReservations;
class PodGroupWriter;
struct BindRequestName;

enum class Binding { kDirect, kBindRequest };

class Binder {
 public:
  Binder(const WriteServices& parts, PodGroupWriter& groups, GpuReservations& reservations, Binding binding,
         PoolLabel pool)
      : p_(parts), groups_(groups), reservations_(reservations), binding_(binding), pool_(std::move(pool)) {}

  // Carries out the binds of one cycle.
  void carry_out(std::vector<Bind> binds);
  // Deletes a BindRequest that will not be carried out, so that the pod is pending again.
  void remove_bind_request(const BindRequestName& request);
  // To be called when KAI's binder gave up: deletes the BindRequest and delays the next attempt for the job.
  void bind_request_failed(const BindRequestName& request, const std::string& job);
  plugins::RefusedJobs& refused_jobs() { return refused_; }
  int open_writes() const { return open_writes_; }

 private:
  struct Attempt;

  kube::Async<void> carry_out_one(Bind bind);
  kube::Async<void> try_one(Bind* bind);
  kube::Async<void> carry_out_together(std::vector<Bind> binds);
  kube::Async<void> try_together(std::vector<Bind>* batch);
  void abandon(const Bind& bind, const std::string& why);
  kube::Async<void> dry_run(Bind* bind, Attempt* attempt);
  kube::Async<void> send(const Bind* bind, Attempt* attempt);
  kube::Async<std::string> obstacle(Bind* bind);
  kube::ApiRequest request_of(const Bind& bind) const;
  // The needs that muster must provide itself, rather than KAI's binder.
  BindNeeds needs_of_ours(const Bind& bind) const;
  kube::Async<void> give_up(const Bind* bind);
  kube::Async<void> refuse(const Bind* bind, std::string why);
  void warn_of_shared_gpu(const Bind& bind);
  kube::Async<void> delete_bind_request(BindRequestName request);
  void record_success(const Bind& bind, kube::Clock::duration took);
  void record_failure(const Bind& bind, const std::string& why);

  const WriteServices p_;
  PodGroupWriter& groups_;
  GpuReservations& reservations_;
  const Binding binding_;
  const PoolLabel pool_;
  plugins::RefusedJobs refused_;
  int open_writes_ = 0;
};

}  // namespace muster::serve
