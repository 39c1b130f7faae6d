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
  // Shows every text of the file. What can be opened only once (standard input, pipes) is kept for
  // read_documents(), and so is what was unpacked and is wanted. Errors are left to read_documents(), which
  // does not try again.
  void look_into(const std::string& file, const std::function<bool(NamedText&)>& is_wanted);

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
};

}  // namespace muster::cli
