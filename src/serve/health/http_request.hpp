// The head of an HTTP request as clients send it, checked before anything acts on it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace muster::serve {

struct HttpRequest {
  std::string method;
  std::string path;           // percent-decoded, without the query: valid UTF-8 without control characters
  std::string authorization;  // the value of the first such header as it was sent; "": none
};

struct HttpRefusal {
  int status = 400;
  std::string message;
};

// Parses the head of a request, from the request line to the empty line.
std::variant<HttpRequest, HttpRefusal> read_request(std::string_view head);

// The value of the first header of this name, without the blanks around it; "" if there is none.
std::string_view header_of(std::string_view head, std::string_view name);

// Returns nullopt if an escape is malformed.
std::optional<std::string> percent_decoded(std::string_view text);

// True for valid UTF-8 without C0 and C1 control characters and DEL.
bool is_plain_text(std::string_view text);

// True if the text is not empty and consists of characters from "!" to "~", like a bearer token.
bool is_visible_ascii(std::string_view text);

}  // namespace muster::serve
