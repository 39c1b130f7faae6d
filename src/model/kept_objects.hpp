// Stores objects unchanged, by kind and name.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "model/objects.hpp"

namespace muster {

class KeptObjects {
 public:
  template <class T>
  using ByKey = std::map<std::string, T, std::less<>>;  // by key_of()

  template <class T>
  const ByKey<T>& all() const {
    return std::get<ByKey<T>>(tables_);
  }
  // Null if the object does not exist.
  template <class T>
  const T* find(std::string_view key) const {
    const auto found = all<T>().find(key);
    return found == all<T>().end() ? nullptr : &found->second;
  }
  template <class T>
  const T* find(std::string_view ns, std::string_view name) const {
    return find<T>(key_of(ns, name));
  }

  template <class T>
  void put(T object) {
    std::string key = key_of(object.meta.ns, object.meta.name);
    std::get<ByKey<T>>(tables_).insert_or_assign(std::move(key), std::move(object));
  }
  // Returns whether it existed.
  template <class T>
  bool erase(std::string_view ns, std::string_view name) {
    return std::get<ByKey<T>>(tables_).erase(key_of(ns, name)) > 0;
  }

 private:
  template <class>
  struct TablesOf;
  template <class... T>
  struct TablesOf<std::variant<T...>> {
    using Type = std::tuple<ByKey<T>...>;
  };
  TablesOf<Object>::Type tables_;
};

}  // namespace muster
