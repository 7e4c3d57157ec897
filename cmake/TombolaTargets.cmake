# The functions that the CMakeLists.txt of the tree use.

# Where speed does not matter, compiling fast does.
set(TOMBOLA_QUICK $<$<CONFIG:Release>:-O1>)

# tombola_precompiled(plain LINKS absl::x [OPTIONS -O1]): makes precompiled/plain.h known to
# tombola_use_precompiled. Who uses it must have the same options.
function(tombola_precompiled name)
  cmake_parse_arguments(ARG "" "" "LINKS;OPTIONS" ${ARGN})
  if(NOT TOMBOLA_PRECOMPILED)
    return()
  endif()
  set(target tombola_precompiled_${name})
  set(empty ${PROJECT_BINARY_DIR}/precompiled/${name}.cc)
  file(CONFIGURE OUTPUT ${empty} CONTENT "")
  add_library(${target} OBJECT ${empty})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE ${ARG_LINKS})
  target_compile_options(${target} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled/${name}.h)
endfunction()

function(tombola_use_precompiled target name)
  if(TOMBOLA_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM tombola_precompiled_${name})
  endif()
endfunction()

# tombola_together(target a.cc b.cc ...): compiles its files six at a time as if they were one, because the
# headers that they share take longer than they do. A name in an unnamed namespace must then differ from
# those in the files beside it.
function(tombola_together target)
  if(TOMBOLA_TOGETHER AND ARGC GREATER 2)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
endfunction()

# tombola_library(NAME room SOURCES a.cc b.cc HEADERS a.h DEPS tombola::x absl::y [INSTALL] [WORDS] [APART])
# A static library `tombola_<room>` with the alias `tombola::<room>`. INSTALL puts it
# into the package that `find_package(tombola)` finds: the SDK and what it links. WORDS says that it
# reads flags, writes JSON or speaks HTTP, which takes long to compile and no time to run. APART says that its files
# include little and are compiled one at a time.
function(tombola_library)
  cmake_parse_arguments(ARG "APART;INSTALL;WORDS" "NAME" "SOURCES;HEADERS;DEPS" ${ARGN})
  set(target tombola_${ARG_NAME})
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES} ${ARG_HEADERS})
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
    target_link_libraries(${target} PUBLIC ${ARG_DEPS})
    target_compile_options(${target} PRIVATE ${TOMBOLA_WARNINGS})
    if(ARG_WORDS)
      target_compile_options(${target} PRIVATE ${TOMBOLA_QUICK})
      tombola_use_precompiled(${target} words)
    else()
      tombola_use_precompiled(${target} plain)
    endif()
    if(NOT ARG_APART)
      tombola_together(${target} ${ARG_SOURCES})
    endif()
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
    target_link_libraries(${target} INTERFACE ${ARG_DEPS})
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${ARG_NAME})
  add_library(tombola::${ARG_NAME} ALIAS ${target})
  if(ARG_INSTALL)
    install(TARGETS ${target} EXPORT tombola ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
      COMPONENT dev)
    if(NOT TARGET tombola_installed)
      add_custom_target(tombola_installed)  # what the SDK's package has
    endif()
    add_dependencies(tombola_installed ${target})
  endif()
endfunction()

# tombola_program(NAME tombola-x SOURCES main.cc DEPS tombola::x COMPONENT tools): a program that users get.
function(tombola_program)
  cmake_parse_arguments(ARG "" "NAME;COMPONENT" "SOURCES;DEPS" ${ARGN})
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_DEPS})
  target_compile_options(${ARG_NAME} PRIVATE ${TOMBOLA_WARNINGS} ${TOMBOLA_QUICK})
  tombola_use_precompiled(${ARG_NAME} words)
  tombola_together(${ARG_NAME} ${ARG_SOURCES})
  install(TARGETS ${ARG_NAME} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${ARG_COMPONENT})
  if(CMAKE_CROSSCOMPILING)
    return()  # its pages are made by running it
  endif()
  set(section 8)
  if(ARG_COMPONENT STREQUAL "tools")
    set(section 1)
  endif()
  set(page ${PROJECT_BINARY_DIR}/man/${ARG_NAME}.${section}.gz)
  add_custom_command(TARGET ${ARG_NAME} POST_BUILD BYPRODUCTS ${page} VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
    COMMAND sh -c "\"$1\" --man-page >\"$2.tmp\" && gzip -9n <\"$2.tmp\" >\"$2\" && rm \"$2.tmp\"" sh $<TARGET_FILE:${ARG_NAME}> ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} COMPONENT ${ARG_COMPONENT})
endfunction()

# Sets the seconds that a test has: 600 unless it says otherwise, and three times as many for a sanitizer's
# build, which is that much slower.
macro(tombola_patience seconds)
  if(NOT ${seconds})
    set(${seconds} 600)
  endif()
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    math(EXPR ${seconds} "3 * ${${seconds}}")
  endif()
endmacro()

# tombola_test(NAME room_test SOURCES room_test.cc DEPS tombola::room [LABELS pure] [TIMEOUT seconds] [APART])
# A GoogleTest binary, run as one ctest entry. The label `pure` marks what is free of
# gRPC and therefore runs under ThreadSanitizer too. APART as for a library.
function(tombola_test)
  cmake_parse_arguments(ARG "APART" "NAME;TIMEOUT" "SOURCES;DEPS;LABELS" ${ARGN})
  if(NOT BUILD_TESTING)
    return()
  endif()
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  target_compile_options(${ARG_NAME} PRIVATE ${TOMBOLA_WARNINGS} ${TOMBOLA_QUICK})
  tombola_use_precompiled(${ARG_NAME} test)
  if(NOT ARG_APART)
    tombola_together(${ARG_NAME} ${ARG_SOURCES})
  endif()
  target_compile_definitions(${ARG_NAME} PRIVATE
    TOMBOLA_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
    TOMBOLA_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  set_target_properties(${ARG_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME})
  if("pure" IN_LIST ARG_LABELS)
    if(NOT TARGET pure_tests)
      add_custom_target(pure_tests)
    endif()
    add_dependencies(pure_tests ${ARG_NAME})
  endif()
  tombola_patience(ARG_TIMEOUT)
  set_tests_properties(${ARG_NAME} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
endfunction()

# tombola_python_test(NAME x_test SCRIPT x_test.py [ARGS ...] [TIMEOUT seconds])
# A program of this folder, run by Debian's own python3 because its packages belong to it. It finds
# `support` (tests/support) and the device of tests/interop, and ends with 77 where it is skipped.
function(tombola_python_test)
  cmake_parse_arguments(ARG "" "NAME;SCRIPT;TIMEOUT" "ARGS" ${ARGN})
  add_test(NAME ${ARG_NAME} COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SCRIPT}
    ${ARG_ARGS})
  set(environment PYTHONPATH=${PROJECT_SOURCE_DIR}/tests:${PROJECT_SOURCE_DIR}/tests/interop)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    list(APPEND environment TOMBOLA_SANITIZED=1
      LSAN_OPTIONS=print_suppressions=0:suppressions=${PROJECT_SOURCE_DIR}/tests/e2e/leaks.supp)
  endif()
  tombola_patience(ARG_TIMEOUT)
  set_tests_properties(${ARG_NAME} PROPERTIES TIMEOUT ${ARG_TIMEOUT} SKIP_RETURN_CODE 77
    ENVIRONMENT "${environment}")
endfunction()

# tombola_benchmark(NAME x_benchmark SOURCES ... DEPS ...): a Google Benchmark binary.
function(tombola_benchmark)
  tombola_bench_program(${ARGN} DEPS benchmark::benchmark benchmark::benchmark_main)
endfunction()

# tombola_bench_program(NAME growth SOURCES growth.cc DEPS tombola::x [WORDS]): likewise, with a main
# of its own. WORDS as for a library: what is measured must lie in another one.
function(tombola_bench_program)
  cmake_parse_arguments(ARG "WORDS" "NAME" "SOURCES;DEPS" ${ARGN})
  if(NOT TOMBOLA_BENCHMARKS)
    return()
  endif()
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_DEPS})
  target_compile_options(${ARG_NAME} PRIVATE ${TOMBOLA_WARNINGS})
  if(ARG_WORDS)
    target_compile_options(${ARG_NAME} PRIVATE ${TOMBOLA_QUICK})
    tombola_use_precompiled(${ARG_NAME} words)
  endif()
  set_target_properties(${ARG_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
endfunction()
