// Text with separated values, record by record: quotes, either kind of line end, lines without anything.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::trace {

struct CsvRecord {
  int line = 0;                          // of its first character
  std::vector<std::string_view> values;  // without space around them; valid until the next record is read
  std::string mistake;                   // why the record can not be read; "": it can
};

// One that can not be read ends with its line, and reading goes on after it.
class CsvRecords {
 public:
  CsvRecords(std::string_view text, char separator) : rest_(text), separator_(separator) {}

  // Null at the end. Lines without anything are passed over.
  const CsvRecord* next();
  // Where the next record begins.
  const char* position() const { return rest_.data(); }

 private:
  void read_record();
  bool read_value(std::string_view& text);
  bool read_quoted(std::string_view& text);
  void skip_line();

  std::string_view rest_;
  const char separator_;
  int line_ = 1;
  CsvRecord record_;
  struct Unquoted {
    std::size_t value = 0;  // of the record
    std::string text;
  };
  std::vector<Unquoted> unquoted_;  // values in which quotes stand twice, as they are meant
};

// What separates the values of a header: a comma, or where there is none a tab or a semicolon.
char separator_of(std::string_view header);

}  // namespace muster::trace
