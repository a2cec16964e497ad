# Helpers shared by every folder: one library per layer row, one Boost.Test program per folder of tests/.

add_library(dragoman_flags INTERFACE)
target_include_directories(dragoman_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(dragoman_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers -fno-strict-aliasing)
target_compile_definitions(dragoman_flags INTERFACE SPDLOG_FMT_EXTERNAL=1 DRAGOMAN_VERSION="${PROJECT_VERSION}")
if(DRAGOMAN_SANITIZE)
  target_compile_options(dragoman_flags INTERFACE -fsanitize=${DRAGOMAN_SANITIZE} -fno-sanitize-recover=all
                                                  -fno-omit-frame-pointer -g1 -O1)
  target_link_options(dragoman_flags INTERFACE -fsanitize=${DRAGOMAN_SANITIZE})
endif()
if(DRAGOMAN_FUZZ)
  # clang 14 cannot put the marks of -fsanitize=function before the parts of a coroutine.
  target_compile_options(dragoman_flags INTERFACE -fsanitize=fuzzer-no-link -fno-sanitize=function)
endif()

# Unity builds compile a dozen files of a folder as one: the whole tree builds several times faster, one edited file
# slower. `make` and CI turn it on; leave it off in a build folder that you edit against.
option(DRAGOMAN_UNITY "Compile the files of a folder in batches" OFF)
function(dragoman_batch target)
  if(DRAGOMAN_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 14)
  endif()
endfunction()

# dragoman_alone(file...): files of this folder whose local names are also those of a neighbour.
function(dragoman_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# dragoman_library(NAME dependency...): all *.cc of the folder (not of its subfolders) become libdragoman_NAME.
# Extra sources (a folder's own list directories) may be given after SOURCES.
function(dragoman_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  list(APPEND sources ${ARG_SOURCES})
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  if(sources)
    add_library(dragoman_${name} STATIC ${sources})
    target_link_libraries(dragoman_${name} PUBLIC dragoman_flags ${ARG_UNPARSED_ARGUMENTS})
    dragoman_batch(dragoman_${name})
  else()  # headers only
    add_library(dragoman_${name} INTERFACE)
    target_link_libraries(dragoman_${name} INTERFACE dragoman_flags ${ARG_UNPARSED_ARGUMENTS})
  endif()
endfunction()

# dragoman_test(NAME dependency...): all *.cc of the folder become test_NAME, run by ctest.
function(dragoman_test name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  if(sources)
    add_executable(test_${name} ${sources} ${CMAKE_SOURCE_DIR}/tests/test_main.cc)
    target_link_libraries(test_${name} PRIVATE dragoman_flags Boost::unit_test_framework ${ARGN})
    target_compile_definitions(test_${name} PRIVATE BOOST_TEST_DYN_LINK DRAGOMAN_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    dragoman_batch(test_${name})
    # It defines Boost.Test's main, which must come before any other include of Boost.Test.
    dragoman_alone(${CMAKE_SOURCE_DIR}/tests/test_main.cc)
    add_test(NAME ${name} COMMAND test_${name} --log_level=error --report_level=short)
  endif()
endfunction()

# dragoman_fuzz(NAME dependency...): fuzz_NAME.cc of the folder becomes a libFuzzer program fuzz_NAME.
function(dragoman_fuzz name)
  if(DRAGOMAN_FUZZ)
    add_executable(fuzz_${name} fuzz_${name}.cc)
    target_link_libraries(fuzz_${name} PRIVATE dragoman_flags ${ARGN})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  endif()
endfunction()
