// Files that are scanned before they are read.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "document/texts.hpp"

namespace muster::loader {

class KeptFiles {
 public:
  // `room`: how many bytes of unpacked text to keep, so that it need not be unpacked again.
  explicit KeptFiles(std::size_t room = std::size_t{1} << 30) : room_(room) {}

  // Calls `look` with every text of the file. Input that can be opened only once (standard input, pipes) is
  // kept for read_documents(), and so is unpacked text if there is room. Errors are kept and reported by
  // read_documents(), which does not open the file again.
  void look_into(const std::string& file, const std::function<void(NamedText&)>& look);

  // Like muster::read_documents(), but reads kept texts. It may be called again for the same file: only texts
  // that can be opened again are released.
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

}  // namespace muster::loader
