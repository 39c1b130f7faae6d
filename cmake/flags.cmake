# One interface target carries the language level, the warnings and the sanitizers of every module.
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(MUSTER_SANITIZE "" CACHE STRING "Sanitizers, as given to -fsanitize=")

# Not with precompiled headers: asked for one that changed, ccache may hand out the one before.
option(MUSTER_PRECOMPILE "Parse common headers once" ON)
find_program(CCACHE ccache)
if(CCACHE AND NOT MUSTER_PRECOMPILE)  # checkouts share the cache, wherever they are
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()

add_library(muster_flags INTERFACE)
target_compile_features(muster_flags INTERFACE cxx_std_20)
# -ffp-contract=off: shares and scores are compared exactly, so no fused multiply-add.
target_compile_options(muster_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wno-missing-field-initializers -ffp-contract=off)
# -Wno-subobject-linkage: a coroutine of a batch may hold what is unnamed in its own file.
target_compile_options(muster_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
# g++ 12 sees overlaps in insertions into a std::string where there are none, whenever it inlines them differently.
target_compile_options(muster_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
target_include_directories(muster_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
if(MUSTER_SANITIZE)
  # g++ 12 sees uninitialised members in instrumented code of standard and Abseil containers where there are none.
  target_compile_options(muster_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_compile_options(muster_flags INTERFACE -fsanitize=${MUSTER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(muster_flags INTERFACE -fsanitize=${MUSTER_SANITIZE})
endif()
find_program(MOLD mold)
if(MOLD)
  target_link_options(muster_flags INTERFACE -fuse-ld=mold)
endif()
