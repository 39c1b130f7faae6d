// The server side of TLS. Reads the certificate and the key from files, and reads them again when they
// change.
#pragma once

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

  // Reads the files at the start; returns what is wrong with them.
  Result<void> load();
  // Returns the context for the current files, or the last usable one. To be called from any thread.
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

// A TLS connection over a non-blocking socket. If a call returns 0 or less, next() returns what to do.
class TlsConversation {
 public:
  enum class Next { kEnd, kWaitToRead, kWaitToWrite };

  TlsConversation(std::shared_ptr<ssl_ctx_st> context, int descriptor);
  ~TlsConversation();
  TlsConversation(const TlsConversation&) = delete;
  TlsConversation& operator=(const TlsConversation&) = delete;

  int greet();
  int receive(char* buffer, std::size_t size);
  int send(const char* bytes, std::size_t size);  // may send only a part
  Next next() const { return next_; }

 private:
  int noted(int result);

  std::shared_ptr<ssl_ctx_st> context_;
  ssl_st* ssl_;
  Next next_ = Next::kEnd;
  bool is_broken_ = false;
};

}  // namespace muster::serve
