# Programs with the property MUSTER_STATIC link statically to every library that Debian has an archive of, except those
# that a shared library needs anyway. They also link to our own libcurl: Debian's has all features (Kerberos, LDAP, SSH,
# RTMP, a second TLS) and needs some thirty libraries, so deploy/image/curl builds one from Debian's sources with only HTTP.
set(static_curl ${PROJECT_BINARY_DIR}/image/curl)
add_custom_command(OUTPUT ${static_curl}/libcurl.a
                   COMMAND ${PROJECT_SOURCE_DIR}/deploy/image/curl ${static_curl}
                   DEPENDS ${PROJECT_SOURCE_DIR}/deploy/image/curl COMMENT "Building libcurl for the image" VERBATIM)
add_custom_target(static_curl DEPENDS ${static_curl}/libcurl.a)

# muster_or_static(result SHARED libraries... STATIC archives...): uses the libraries if the archives do not exist.
function(muster_or_static result)
  cmake_parse_arguments(ARG "" "" "SHARED;STATIC" ${ARGN})
  string(REPLACE ";" "$<SEMICOLON>" shared "${ARG_SHARED}")
  foreach(archive ${ARG_STATIC})
    find_library(ARCHIVE_${archive} NAMES lib${archive}.a)
    list(APPEND static ${ARCHIVE_${archive}})
  endforeach()
  if("${static}" MATCHES "NOTFOUND")
    set(static ${ARG_SHARED})
  endif()
  string(REPLACE ";" "$<SEMICOLON>" static "${static}")
  set(${result} "$<IF:$<BOOL:$<TARGET_PROPERTY:MUSTER_STATIC>>,${static},${shared}>" PARENT_SCOPE)
endfunction()

muster_or_static(YAML_LIBS SHARED yaml-cpp STATIC yaml-cpp)
muster_or_static(UNPACK_LIBS SHARED ${MINIZIP} ${ZSTD} STATIC minizip zstd)
muster_or_static(RE2_LIBS SHARED ${RE2} STATIC re2)
muster_or_static(ABSL_LIBS SHARED absl::flat_hash_map absl::inlined_vector
                 STATIC absl_hash absl_raw_hash_set absl_throw_delegate absl_city absl_low_level_hash absl_raw_logging_internal)
find_package(OpenSSL REQUIRED)
set(CURL_LIBS "$<IF:$<BOOL:$<TARGET_PROPERTY:MUSTER_STATIC>>,${static_curl}/libcurl.a$<SEMICOLON>OpenSSL::SSL$<SEMICOLON>ZLIB::ZLIB,CURL::libcurl>")
