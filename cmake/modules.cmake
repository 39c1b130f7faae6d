find_package(GTest REQUIRED)
include(GoogleTest)

# muster_precompiled(name HEADERS headers... LIBS libraries...): headers that are parsed once for all targets that name
# them with PRECOMPILED. A source still includes what it uses: preset asan knows no precompiled headers.
function(muster_precompiled name)
  cmake_parse_arguments(ARG "" "" "HEADERS;LIBS" ${ARGN})
  if(NOT MUSTER_PRECOMPILE)
    return()
  endif()
  file(CONFIGURE OUTPUT precompiled_${name}.cpp CONTENT "// Carries the precompiled headers of others.\n")
  add_library(muster_precompiled_${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/precompiled_${name}.cpp)
  target_link_libraries(muster_precompiled_${name} PRIVATE muster_flags ${ARG_LIBS})
  target_precompile_headers(muster_precompiled_${name} PRIVATE ${ARG_HEADERS})
endfunction()

function(muster_use_precompiled target name)
  if(name AND TARGET muster_precompiled_${name})
    target_precompile_headers(${target} REUSE_FROM muster_precompiled_${name})
  endif()
endfunction()

# Sources of a library are compiled several at a time, about MUSTER_BATCH of them, so that headers are parsed and templates
# are made once for all of them, and tests of a module, fewer at a time. Names that are private to a file must therefore
# differ within a module. 1: each by itself, as preset asan has it. The lists name files relative to src/, so that checkouts
# share ccache's results.
set(MUSTER_BATCH 16 CACHE STRING "Source files that are compiled as one")
set(MUSTER_TEST_BATCH 6 CACHE STRING "Likewise of tests")

function(muster_batches result name most)
  if(most LESS 2)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  list(LENGTH ARGN count)
  math(EXPR batches "(${count} + ${most} / 2) / ${most}")
  if(batches EQUAL 0)
    set(batches 1)
  endif()
  math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
  set(batch 0)
  set(rest ${ARGN})
  while(rest)
    list(SUBLIST rest 0 ${size} some)
    list(REMOVE_ITEM rest ${some})
    list(TRANSFORM some REPLACE "^${CMAKE_CURRENT_SOURCE_DIR}/(.*)$" "#include \"\\1\"\n")
    string(JOIN "" text ${some})
    set(file ${CMAKE_CURRENT_BINARY_DIR}/batches/${name}_${batch}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
    list(APPEND files ${file})
    math(EXPR batch "${batch} + 1")
  endwhile()
  set(${result} ${files} PARENT_SCOPE)
endfunction()

# muster_module(name DEPENDS modules... LIBS libraries... PRECOMPILED headers [ONE_BY_ONE]):
# library muster_<name> from the sources below <name>/ and, where there is a *_test.cpp, the test program <name>_test.
# ONE_BY_ONE: files that use the same names for different things. Test programs may use the TestCluster
# builder of tests/, and say so with TEST_LIBS muster_testing.
function(muster_module name)
  cmake_parse_arguments(ARG "ONE_BY_ONE" "PRECOMPILED" "DEPENDS;LIBS;TEST_LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(TRANSFORM ARG_DEPENDS PREPEND muster_)
  if(NOT ARG_ONE_BY_ONE)
    muster_batches(sources ${name} ${MUSTER_BATCH} ${sources})
    muster_batches(tests ${name}_test ${MUSTER_TEST_BATCH} ${tests})
  endif()
  add_library(muster_${name} STATIC ${sources})
  target_link_libraries(muster_${name} PUBLIC muster_flags ${ARG_DEPENDS} ${ARG_LIBS})
  muster_use_precompiled(muster_${name} "${ARG_PRECOMPILED}")
  if(tests)
    muster_test(${name}_test SOURCES ${tests} LIBS muster_${name} ${ARG_TEST_LIBS})
  endif()
endfunction()

# The places of a core: ./test runs as many tests at a time as all cores have. One that computes takes all of a core's, one
# that waits most of the time, for a control plane or a browser, one.
set(MUSTER_PLACES 3)

# muster_test(name SOURCES files... LIBS libraries...): a GoogleTest program whose cases ctest lists one by one.
function(muster_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE muster_flags ${ARG_LIBS} GTest::gtest GTest::gtest_main GTest::gmock)
  if("muster_testing" IN_LIST ARG_LIBS)
    muster_use_precompiled(${name} testing)
  else()
    muster_use_precompiled(${name} gtest)
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 900 PROCESSORS ${MUSTER_PLACES})
endfunction()

# All of this directory but those with the label live compute.
function(muster_tests_compute)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test ${tests})
    get_test_property(${test} LABELS labels)
    if(NOT labels STREQUAL live)
      set_tests_properties(${test} PROPERTIES PROCESSORS ${MUSTER_PLACES})
    endif()
  endforeach()
endfunction()
