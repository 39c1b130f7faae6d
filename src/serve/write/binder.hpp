// Binds as writes: each until it is done or can not be.
#pragma once

#include <string>

#include "serve/write/bind.hpp"

namespace muster::serve {

class PodGroupWriter;

enum class Binding { kDirect, kBindRequest };

class Binder {
 public:
  Binder(const WriteParts& parts, PodGroupWriter& groups, Binding binding, PoolLabel pool)
      : p_(parts), groups_(groups), binding_(binding), pool_(std::move(pool)) {}

  kube::Async<void> carry_out(Bind bind);
  // The binder of a BindRequest gave up: without its request the pod waits again.
  void remove_bind_request(const std::string& ns, const std::string& name);
  int open_writes() const { return open_writes_; }

 private:
  kube::Async<std::string> obstacle(const Bind& bind);
  kube::Async<void> give_up(Bind bind, std::string why);
  void warn_of_shared_gpu(const Bind& bind);
  kube::Async<void> delete_bind_request(std::string ns, std::string name);
  void record_success(const Bind& bind, kube::Clock::duration took);
  void record_failure(const Bind& bind, const std::string& why);

  const WriteParts p_;
  PodGroupWriter& groups_;
  const Binding binding_;
  const PoolLabel pool_;
  int open_writes_ = 0;
};

}  // namespace muster::serve
