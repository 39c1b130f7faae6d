// Files that are looked into before they are read.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "document/texts.hpp"

namespace muster::cli {

class KeptFiles {
 public:
  // `room`: bytes of unpacked texts that are kept so that they need not be unpacked again.
  explicit KeptFiles(std::size_t room = std::size_t{1} << 30) : room_(room) {}

  // Shows every text of the file. What can be opened only once (standard input, pipes) is kept for
  // read_documents(), and so is what was unpacked, if there is room for it. Errors are left to
  // read_documents(), which does not try again.
  void look_into(const std::string& file, const std::function<void(NamedText&)>& look);

  // As the function of that name, from what was kept. May be asked again: only what can be opened again is
  // given up.
  void read_documents(const std::string& file, const std::function<void(const Document&)>& use,
                      const std::function<void(const Error&)>& fail);

 private:
  struct Kept {
    std::vector<NamedText> texts;
    std::vector<Error> errors;
  };
  std::map<std::string, Kept> kept_;
  std::size_t room_;
};

}  // namespace muster::cli
