find_package(GTest REQUIRED)
include(GoogleTest)

# muster_module(name DEPENDS modules... LIBS libraries...): library muster_<name> from <name>/**/*.cpp and, where
# there is a *_test.cpp, the test program <name>_test. Test programs may use the TestCluster builder of tests/.
function(muster_module name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LIBS;TEST_LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(TRANSFORM ARG_DEPENDS PREPEND muster_)
  add_library(muster_${name} STATIC ${sources})
  target_link_libraries(muster_${name} PUBLIC muster_flags ${ARG_DEPENDS} ${ARG_LIBS})
  if(tests)
    muster_test(${name}_test SOURCES ${tests} LIBS muster_${name} ${ARG_TEST_LIBS})
  endif()
endfunction()

# muster_test(name SOURCES files... LIBS libraries...): a GoogleTest program whose cases ctest lists one by one.
function(muster_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE muster_flags ${ARG_LIBS} GTest::gtest GTest::gtest_main GTest::gmock)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 900)
endfunction()
