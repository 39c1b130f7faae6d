// Uses OpenSSL on the connection's descriptor, with a new context when the modification times of the files
// change.
#include "serve/web/tls.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <limits>
#include <new>
#include <system_error>

namespace muster::serve {
namespace {

std::string last_trouble() {
  const unsigned long code = ERR_get_error();
  const char* words = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return words == nullptr ? "cannot be used" : words;
}

int most_bytes(std::size_t size) {
  return static_cast<int>(std::min<std::size_t>(size, std::numeric_limits<int>::max()));
}

}  // namespace

TlsFiles::TlsFiles(std::string certificate, std::string key)
    : certificate_(std::move(certificate)), key_(std::move(key)) {}

TlsFiles::Times TlsFiles::times() const {
  std::error_code ignored;
  return {std::filesystem::last_write_time(certificate_, ignored),
          std::filesystem::last_write_time(key_, ignored)};
}

Result<std::shared_ptr<ssl_ctx_st>> TlsFiles::read() const {
  std::shared_ptr<ssl_ctx_st> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  const auto trouble_with = [](const std::string& file) {
    return Error{.message = last_trouble(), .where = {.file = file}, .is_outside = true};
  };
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate_.c_str()) != 1)
    return trouble_with(certificate_);
  if (SSL_CTX_use_PrivateKey_file(context.get(), key_.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1)
    return trouble_with(key_);
  return context;
}

Result<void> TlsFiles::load() {
  const Times now = times();
  auto context = read();
  if (!context) return context.error();
  const std::lock_guard lock(mutex_);
  context_ = *std::move(context);
  read_at_ = now;
  return {};
}

std::shared_ptr<ssl_ctx_st> TlsFiles::context() {
  const Times now = times();
  const std::lock_guard lock(mutex_);
  if (now == read_at_) return context_;
  if (auto context = read()) {
    context_ = *std::move(context);
    read_at_ = now;
  }
  return context_;
}

TlsConversation::TlsConversation(std::shared_ptr<ssl_ctx_st> context, int descriptor)
    : context_(std::move(context)), ssl_(SSL_new(context_.get())) {
  if (ssl_ == nullptr) throw std::bad_alloc();
  SSL_set_fd(ssl_, descriptor);
  SSL_set_mode(ssl_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

TlsConversation::~TlsConversation() {
  if (!is_broken_) SSL_shutdown(ssl_);
  SSL_free(ssl_);
  ERR_clear_error();
}

// Clears the thread's queue of OpenSSL errors, which would otherwise be attributed to the next call.
int TlsConversation::noted(int result) {
  if (result > 0) return result;
  const int error = SSL_get_error(ssl_, result);
  next_ = error == SSL_ERROR_WANT_READ    ? Next::kWaitToRead
          : error == SSL_ERROR_WANT_WRITE ? Next::kWaitToWrite
                                          : Next::kEnd;
  is_broken_ = error == SSL_ERROR_SSL || error == SSL_ERROR_SYSCALL;
  ERR_clear_error();
  return result;
}

int TlsConversation::greet() { return noted(SSL_accept(ssl_)); }

int TlsConversation::receive(char* buffer, std::size_t size) {
  return noted(SSL_read(ssl_, buffer, most_bytes(size)));
}

int TlsConversation::send(const char* bytes, std::size_t size) {
  return noted(SSL_write(ssl_, bytes, most_bytes(size)));
}

}  // namespace muster::serve
