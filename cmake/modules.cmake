find_package(GTest REQUIRED)
include(GoogleTest)

# muster_precompiled(name HEADERS headers... LIBS libraries...): parses the headers once for all targets that name
# them with PRECOMPILED. Sources still include what they use: preset clang compiles each file and each header alone.
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

# The sources of a library, and the tests of a module, are compiled in batches of up to MUSTER_BATCH files, so that
# headers are parsed once per batch. cmake/batches.py combines only files that cannot see each other's private names, and
# runs again whenever a file changes. Batches name files relative to src/, so that checkouts share the results of ccache.
set(MUSTER_BATCH 16 CACHE STRING "Maximum number of source files compiled as one")
set(Python3_ROOT_DIR /usr)  # prefer Debian's Python, which has Debian's packages
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# muster_batches(modules...): sets BATCHES_<module> and BATCHES_<module>_test to the files to compile.
function(muster_batches)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*.hpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/batches.py)
  set(directory ${CMAKE_CURRENT_BINARY_DIR}/batches)
  foreach(module ${ARGN})
    list(APPEND wanted ${module}=.cpp ${module}=_test.cpp)
  endforeach()
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/cmake/batches.py --source ${CMAKE_CURRENT_SOURCE_DIR}
                          --output ${directory} --most ${MUSTER_BATCH} --list ${directory}/list.cmake ${wanted}
                  COMMAND_ERROR_IS_FATAL ANY)
  include(${directory}/list.cmake)
  foreach(module ${ARGN})
    set(BATCHES_${module} ${BATCHES_${module}} PARENT_SCOPE)
    set(BATCHES_${module}_test ${BATCHES_${module}_test} PARENT_SCOPE)
  endforeach()
endfunction()

# muster_module(name DEPENDS modules... LIBS libraries... PRECOMPILED headers):
# adds the library muster_<name> from the sources below <name>/ and, if there is a *_test.cpp, the test program
# <name>_test. Test programs that use the TestCluster builder of tests/ need TEST_LIBS muster_testing.
function(muster_module name)
  cmake_parse_arguments(ARG "" "PRECOMPILED" "DEPENDS;LIBS;TEST_LIBS" ${ARGN})
  list(TRANSFORM ARG_DEPENDS PREPEND muster_)
  add_library(muster_${name} STATIC ${BATCHES_${name}})
  target_link_libraries(muster_${name} PUBLIC muster_flags ${ARG_DEPENDS} ${ARG_LIBS})
  muster_use_precompiled(muster_${name} "${ARG_PRECOMPILED}")
  if(BATCHES_${name}_test)
    muster_test(${name}_test SOURCES ${BATCHES_${name}_test} LIBS muster_${name} ${ARG_TEST_LIBS})
  endif()
endfunction()

# ./test gives each core this many slots. A test that computes takes all slots of a core; a test that mostly waits, for a
# control plane or a browser, takes one.
set(MUSTER_PLACES 3)

# muster_test(name SOURCES files... LIBS libraries...): adds a GoogleTest program; ctest lists each of its cases.
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

# Marks all tests of this directory as computing, except those with the label live.
function(muster_tests_compute)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test ${tests})
    get_test_property(${test} LABELS labels)
    if(NOT labels STREQUAL live)
      set_tests_properties(${test} PROPERTIES PROCESSORS ${MUSTER_PLACES})
    endif()
  endforeach()
endfunction()
