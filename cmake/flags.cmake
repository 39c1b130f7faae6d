# An interface target with the language level, warnings, hardening and sanitizers of every module.
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(MUSTER_SANITIZE "" CACHE STRING "Sanitizers, as given to -fsanitize=")

# Not combined with ccache, which may return an old version of a precompiled header that has changed.
option(MUSTER_PRECOMPILE "Parse common headers once" ON)
find_program(CCACHE ccache)
if(CCACHE AND NOT MUSTER_PRECOMPILE)  # lets checkouts in different places share the cache
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()

add_library(muster_flags INTERFACE)
target_compile_features(muster_flags INTERFACE cxx_std_20)
# -ffp-contract=off: shares and scores are compared exactly, so no fused multiply-add.
target_compile_options(muster_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wno-missing-field-initializers -ffp-contract=off)
# -Wno-subobject-linkage: a coroutine in a batch may contain types from the unnamed namespace of its own file.
target_compile_options(muster_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
# g++ 12 falsely reports overlaps and impossible sizes in insertions into a std::string. Whether it does depends on
# inlining, and even on the path of the checkout.
target_compile_options(muster_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
# Less frequent garbage collection makes g++ a tenth faster and uses a few hundred megabytes more.
target_compile_options(muster_flags INTERFACE "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=1000000>")
target_include_directories(muster_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)

# Containers check indices and emptiness in every build, including the one that users run.
target_compile_definitions(muster_flags INTERFACE _GLIBCXX_ASSERTIONS)
if(MUSTER_SANITIZE)
  # g++ 12 falsely reports uninitialised members in instrumented code of standard and Abseil containers.
  target_compile_options(muster_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_compile_options(muster_flags INTERFACE -fsanitize=${MUSTER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(muster_flags INTERFACE -fsanitize=${MUSTER_SANITIZE})
else()
  target_compile_options(muster_flags INTERFACE -fPIE -fstack-protector-strong -fstack-clash-protection -fcf-protection)
  target_compile_definitions(muster_flags INTERFACE _FORTIFY_SOURCE=2)
  target_link_options(muster_flags INTERFACE -pie -Wl,-z,relro,-z,now,-z,noexecstack)
endif()
find_program(MOLD mold)
if(MOLD)
  target_link_options(muster_flags INTERFACE -fuse-ld=mold)
endif()
