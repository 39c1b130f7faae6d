// TLS for connections that are taken: certificate and key come from files, and are read again when those
// change.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "util/result.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace muster::serve {

class TlsFiles {
 public:
  TlsFiles(std::string certificate, std::string key);

  // What is wrong with the files, at the beginning.
  Result<void> load();
  // From any thread. As the files are now; where they have become unusable, as they were.
  std::shared_ptr<ssl_ctx_st> context();

 private:
  using FileTime = std::filesystem::file_time_type;
  struct Times {
    FileTime certificate{}, key{};
    bool operator==(const Times&) const = default;
  };
  Times times() const;
  Result<std::shared_ptr<ssl_ctx_st>> read() const;

  const std::string certificate_, key_;
  std::mutex mutex_;
  std::shared_ptr<ssl_ctx_st> context_;
  Times read_at_;
};

// A conversation over a socket that blocks with a time limit. Bytes as with recv() and send().
class TlsConversation {
 public:
  TlsConversation(std::shared_ptr<ssl_ctx_st> context, int descriptor);
  ~TlsConversation();
  TlsConversation(const TlsConversation&) = delete;
  TlsConversation& operator=(const TlsConversation&) = delete;

  bool greet();  // false: they speak no TLS, or not in time
  ssize_t receive(char* buffer, std::size_t size);
  ssize_t send(const char* bytes, std::size_t size);

 private:
  std::shared_ptr<ssl_ctx_st> context_;
  ssl_st* ssl_;
};

}  // namespace muster::serve
