// TLS for connections that are taken: certificate and key come from files, and are read again when those
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

// A conversation over a socket that does not block. Where a call returns 0 or less, next() says what to do.
class TlsConversation {
 public:
  enum class Next { kEnd, kWaitToRead, kWaitToWrite };

  TlsConversation(std::shared_ptr<ssl_ctx_st> context, int descriptor);
  ~TlsConversation();
  TlsConversation(const TlsConversation&) = delete;
  TlsConversation& operator=(const TlsConversation&) = delete;

  int greet();
  int receive(char* buffer, std::size_t size);
  int send(const char* bytes, std::size_t size);  // may take a part of them
  Next next() const { return next_; }

 private:
  int noted(int result);

  std::shared_ptr<ssl_ctx_st> context_;
  ssl_st* ssl_;
  Next next_ = Next::kEnd;
  bool is_broken_ = false;
};

}  // namespace muster::serve
