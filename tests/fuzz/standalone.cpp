// Runs a fuzz target without libFuzzer: over the files of a corpus, and over texts made from them by small
// changes.
//
//   fuzz_TARGET CORPUS [--runs N] [--seed S]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Text = std::vector<std::uint8_t>;

Text content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Text> corpus_in(const std::filesystem::path& directory) {
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) files.insert(entry.path());
  std::vector<Text> corpus;
  for (const auto& file : files) corpus.push_back(content_of(file));
  return corpus;
}

class Mutator {
 public:
  Mutator(const std::vector<Text>& corpus, std::uint64_t seed) : corpus_(corpus), random_(seed) {}

  Text next() {
    Text text = pick();
    for (std::size_t changes = 1 + below(8); changes > 0; --changes) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_()) % limit; }
  const Text& pick() { return corpus_[below(corpus_.size())]; }

  void change(Text& text) {
    const std::size_t at = below(text.size() + 1);
    const auto here = text.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(5)) {
      case 0:
        text.insert(here, static_cast<std::uint8_t>(random_()));
        break;
      case 1:
        if (at < text.size()) *here = static_cast<std::uint8_t>(random_());
        break;
      case 2:
        text.erase(here, here + static_cast<std::ptrdiff_t>(std::min(below(16), text.size() - at)));
        break;
      default: {  // a part of another
        const Text& other = pick();
        const std::size_t from = below(other.size() + 1), length = std::min(below(64), other.size() - from);
        const auto part = other.begin() + static_cast<std::ptrdiff_t>(from);
        text.insert(here, part, part + static_cast<std::ptrdiff_t>(length));
      }
    }
  }

  const std::vector<Text>& corpus_;
  std::mt19937_64 random_;
};

}  // namespace

int main(int count, char** arguments) {
  long runs = 10'000;
  std::uint64_t seed = 1;
  for (int i = 2; i + 1 < count; i += 2) {
    if (std::strcmp(arguments[i], "--runs") == 0) runs = std::atol(arguments[i + 1]);
    if (std::strcmp(arguments[i], "--seed") == 0) seed = std::strtoull(arguments[i + 1], nullptr, 10);
  }
  if (count < 2) return std::fprintf(stderr, "usage: %s CORPUS [--runs N] [--seed S]\n", arguments[0]), 2;
  const std::vector<Text> corpus = corpus_in(arguments[1]);
  for (const Text& text : corpus) LLVMFuzzerTestOneInput(text.data(), text.size());
  Mutator mutator(corpus, seed);
  for (long i = 0; i < runs; ++i) {
    const Text text = mutator.next();
    std::ofstream("fuzz-last-input", std::ios::binary)
        .write(reinterpret_cast<const char*>(text.data()), static_cast<std::streamsize>(text.size()));
    LLVMFuzzerTestOneInput(text.data(), text.size());
  }
  std::filesystem::remove("fuzz-last-input");
  std::printf("%zu of the corpus and %ld made from them: good\n", corpus.size(), runs);
}
