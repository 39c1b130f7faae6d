// Keeps somebody up to date about all objects of one kind: lists them in pages, then watches, for ever.
//
// No change is lost and none is told twice: a watch goes on from where the last one ended; where the server
// has forgotten that version, the objects are listed again and what is gone meanwhile is told as such.
//
// Only the server's word that a kind does not exist (404) makes its objects go. Where it refuses to list a
// kind (403) that it has listed before, the objects stay as they were, and the reflector asks again.
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

// Calls come from within transfers: they must not wait and may not stop the loop.
class ReflectorListener {
 public:
  virtual ~ReflectorListener() = default;
  // The element is valid during the call only.
  virtual void changed(Json object) = 0;
  virtual void gone(const std::string& ns, const std::string& name) = 0;
  // All objects of a list have been told.
  virtual void listed() = 0;
  // Something is wrong, in words; the reflector goes on by itself.
  virtual void troubled(const std::string& text) = 0;
};

struct ReflectorOptions {
  Resource resource;
  std::string field_selector = {};
  // A kind that is not served, or that we were never allowed to read, counts as having no objects.
  bool is_optional = false;
  bool metadata_only = false;  // spec and status stay with the server
  // Tried in turn where the server does not have the resource's own.
  std::vector<std::string> older_versions = {};
  int page_size = 500;
  // How soon a kind that is absent is looked for again.
  std::chrono::milliseconds wait_for_absent{30'000};
  // How long a list that was asked for is waited for while the server refuses it; then what is known counts.
  std::chrono::milliseconds patience_with_refusals{30'000};
};

enum class Tell { kNews, kEvenIfKnown };

class Reflector {
 public:
  Reflector(ApiClient& client, ReflectorOptions options, ReflectorListener& listener);
  ~Reflector();

  Async<void> run();
  // An object that came as the answer to a write of ours: told at once, unless something newer is known.
  void saw(std::string_view text, Tell tell = Tell::kNews);
  // List again at once; not from within transfers. Until that is done, the reflector is not synced. With
  // `tell_all`, objects are told even where nothing about them is new.
  void refresh(bool tell_all = false);

  bool is_synced() const { return is_synced_ && !known_.wants_list(); }
  // The kind is not served, or we were never allowed to read it.
  bool is_absent() const { return is_absent_; }
  std::size_t size() const { return known_.size(); }
  bool knows(std::string_view ns, std::string_view name) const;
  // By "ns/name"; 0 if it is not known.
  std::uint64_t version_of(const std::string& key) const { return known_.version_of(key); }
  // By "ns/name"; only of late.
  bool was_deleted_after(const std::string& key, std::uint64_t version) const {
    return known_.was_deleted_after(key, version);
  }
  // Calls use(key, version) for every object known.
  template <class Use>
  void each(Use&& use) const {
    known_.each(std::forward<Use>(use));
  }
  // In the version that the server has.
  const Resource& resource() const { return served_; }
  Clock::time_point last_contact() const { return last_contact_; }

 private:
  Async<bool> list();
  std::chrono::milliseconds wait_after_failed_list();
  bool is_refused(const HttpResponse& page) const;
  void end_absent(const HttpResponse& page);
  void end_refused(const HttpResponse& page);
  Async<HttpResponse> ask_for_page(const std::string& next);
  bool try_older_version();
  bool take_page(std::string_view text, std::string& next);
  void finish_list(std::uint64_t version);
  Async<void> watch();
  bool take_event(std::string_view line);
  bool take_event(std::string_view type, Json object, bool is_whole);
  void leave(Json object, std::string_view doing);
  bool take_error(Json status);
  void take_object(Json object, bool from_list);
  void take_deletion(Json object);
  void tell_changed(Json object, const std::string& key, std::uint64_t version);
  void tell_gone(const std::string& ns, const std::string& name);
  void note_failure(const std::string& key);
  bool wants_list_of_stale() const;
  std::string watch_path() const;
  std::string list_path(const std::string& next) const;

  ApiClient& client_;
  const ReflectorOptions options_;
  Resource served_;
  ReflectorListener& listener_;
  ObjectReader reader_;
  KnownObjects known_;
  std::string version_;  // where the next watch begins; "": a list is needed
  std::string listed_version_;
  Backoff backoff_;
  std::chrono::seconds retry_after_{0};  // that the server asked for when a list failed
  bool is_synced_ = false, is_absent_ = false;
  bool was_listed_ = false;                         // since the kind was last absent
  std::optional<Clock::time_point> refused_since_;  // of lists, without a break
  bool is_stale_ = false;                           // a listener failed: some object is not as it was told
  Clock::time_point may_list_stale_{};
  Backoff between_stale_{std::chrono::minutes(1), std::chrono::hours(1)};
  Clock::time_point last_contact_{};
};

}  // namespace muster::kube
