// Keeps a listener up to date about all objects of one kind: lists them in pages, then watches them.
//
// Every change is reported exactly once. A watch resumes where the last one ended. If the server no longer
// has that version, the reflector lists the objects again and reports those that were deleted in the
// meantime.
//
// Objects of a kind are dropped only if the server says that the kind does not exist (404). If it refuses to
// list a kind (403) that it has listed before, the objects are kept and the reflector retries.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/json_fwd.hpp"
#include "kube/api_client.hpp"
#include "kube/known_objects.hpp"
#include "kube/object_reader.hpp"
#include "kube/resource.hpp"
#include "kube/waiting.hpp"

namespace muster::kube {

// Called from callbacks of transfers: implementations must not block and must not stop the loop.
class ReflectorListener {
 public:
  virtual ~ReflectorListener() = default;
  // The object is valid only during the call.
  virtual void changed(Json object) = 0;
  virtual void gone(const std::string& ns, const std::string& name) = 0;
  // All objects of a list have been reported.
  virtual void listed() = 0;
  // Called with a message when something fails. The reflector retries by itself.
  virtual void troubled(const std::string& text) = 0;
};

struct ReflectorOptions {
  Resource resource;
  std::string field_selector = {};
  // A kind that is not served, or that muster was never allowed to read, counts as empty.
  bool is_optional = false;
  bool metadata_only = false;  // do not request spec and status
  // Tried in turn if the server does not have the version of `resource`.
  std::vector<std::string> older_versions = {};
  int page_size = 500;
  // Wait before an absent kind is requested again.
  std::chrono::milliseconds wait_for_absent{30'000};
  // How long the reflector counts as not synced while the server refuses a required list. After that, the
  // known objects are used.
  std::chrono::milliseconds patience_with_refusals{30'000};
};

enum class Tell { kNews, kEvenIfKnown };

class Reflector {
 public:
  Reflector(ApiClient& client, ReflectorOptions options, ReflectorListener& listener);
  ~Reflector();

  Async<void> run();
  // Takes an object from the answer to a write of this process. It is reported at once unless a newer one is
  // known.
  void saw(std::string_view text, Tell tell = Tell::kNews);
  // Lists all objects again at once. Until that is done, the reflector is not synced. With `tell_all`,
  // objects are reported even if they have not changed. REQUIRES: not called from a callback of a transfer.
  void refresh(bool tell_all = false);

  bool is_synced() const { return is_synced_ && !known_.wants_list(); }
  // True if the kind is not served, or if muster was never allowed to read it.
  bool is_absent() const { return is_absent_; }
  std::size_t size() const { return known_.size(); }
  bool knows(std::string_view ns, std::string_view name) const;
  // `key` is "ns/name". Returns 0 if the object is not known.
  std::uint64_t version_of(const std::string& key) const { return known_.version_of(key); }
  // `key` is "ns/name". Only recent deletions are remembered.
  bool was_deleted_after(const std::string& key, std::uint64_t version) const {
    return known_.was_deleted_after(key, version);
  }
  // Calls use(key, version) for every known object.
  template <class Use>
  void each(Use&& use) const {
    known_.each(std::forward<Use>(use));
  }
  // The resource in the API version that the server has.
  const Resource& resource() const { return served_; }
  Clock::time_point last_contact() const { return last_contact_; }

 private:
  Async<bool> list();
  std::chrono::milliseconds wait_after_failed_list();
  bool is_refused(const HttpResponse& page) const;
  void end_absent(const HttpResponse& page);
  void end_refused(const HttpResponse& page);
  Async<HttpResponse> ask_for_page(std::string next);
  bool try_older_version();
  bool take_page(std::string_view text, std::string& next);
  void finish_list(std::uint64_t version);
  Async<void> watch();
  bool take_event(std::string_view line);
  bool take_event(std::string_view type, Json object, bool is_whole);
  void keep_unreadable(Json object, std::string_view doing);
  bool take_error(Json status);
  void take_object(Json object, bool from_list);
  void take_deletion(Json object);
  void tell_changed(Json object, const std::string& key, std::uint64_t version);
  void tell_gone(const std::string& ns, const std::string& name);
  void report_exception(const std::string& key);
  bool wants_list_of_stale() const;
  std::string watch_path() const;
  std::string list_path(const std::string& next) const;

  ApiClient& client_;
  const ReflectorOptions options_;
  Resource served_;
  ReflectorListener& listener_;
  ObjectReader reader_;
  KnownObjects known_;
  std::string version_;  // where the next watch starts; "" if a list is needed
  std::string listed_version_;
  Backoff backoff_;
  std::chrono::seconds retry_after_{0};  // requested by the server when a list failed
  bool is_synced_ = false, is_absent_ = false;
  bool was_listed_ = false;                         // since the kind was last absent
  std::optional<Clock::time_point> refused_since_;  // when the current run of refused lists began
  bool is_stale_ = false;                           // a listener failed: it may have missed a change
  Clock::time_point may_list_stale_{};
  Backoff between_stale_{std::chrono::minutes(1), std::chrono::hours(1)};
  Clock::time_point last_contact_{};
};

}  // namespace muster::kube
