// Runs a fuzz target without libFuzzer: on the files of a corpus and on random changes of them.
//
//   fuzz_TARGET CORPUS [--runs N] [--seconds T] [--seed S]
//
// Ends at the first of the two limits. If it crashes, fuzz-last-input contains the input.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string_view>
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
      default: {  // insert a part of another input
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

struct Options {
  long runs = 10'000;
  std::chrono::seconds time = std::chrono::hours(24);
  std::uint64_t seed = 1;
};

Options options_of(int count, char** arguments) {
  Options options;
  for (int i = 2; i + 1 < count; i += 2) {
    const std::string_view name = arguments[i];
    const long value = std::atol(arguments[i + 1]);
    if (name == "--runs") options.runs = value;
    if (name == "--seconds") options.time = std::chrono::seconds(value);
    if (name == "--seed") options.seed = static_cast<std::uint64_t>(value);
  }
  return options;
}

// A file with the current input, for a look at it after a crash.
class LastInput {
 public:
  LastInput() : file_(std::fopen(kName, "wb")) {}
  ~LastInput() {
    if (file_ != nullptr) std::fclose(file_);
    std::filesystem::remove(kName);
  }
  LastInput(const LastInput&) = delete;
  LastInput& operator=(const LastInput&) = delete;

  // Kept open, because closing the file each time would write it to the disk each time.
  void keep(const Text& text) {
    if (file_ == nullptr) return;
    if (std::fseek(file_, 0, SEEK_SET) != 0) return;
    std::fwrite(text.data(), 1, text.size(), file_);
    std::fflush(file_);
    if (::ftruncate(::fileno(file_), static_cast<off_t>(text.size())) != 0) std::perror(kName);
  }

 private:
  static constexpr const char* kName = "fuzz-last-input";
  std::FILE* file_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 2)
    return std::fprintf(stderr, "usage: %s CORPUS [--runs N] [--seconds T] [--seed S]\n", arguments[0]), 2;
  const Options options = options_of(count, arguments);
  const auto end = std::chrono::steady_clock::now() + options.time;
  const std::vector<Text> corpus = corpus_in(arguments[1]);
  for (const Text& text : corpus) LLVMFuzzerTestOneInput(text.data(), text.size());
  Mutator mutator(corpus, options.seed);
  long runs = 0;
  LastInput last;
  for (; runs < options.runs && std::chrono::steady_clock::now() < end; ++runs) {
    const Text text = mutator.next();
    last.keep(text);
    LLVMFuzzerTestOneInput(text.data(), text.size());
  }
  std::printf("%s: %zu of the corpus and %ld made from them: good\n", arguments[1], corpus.size(), runs);
}
