# SPDX-License-Identifier: Apache-2.0
# pliant_layer(NAME [LLVM] [PCH headers...] [PCH_OF layer] SOURCES files... LINK layers...): one folder (or one suffix of
# src/ops) as an object library. LLVM marks the layers that may include MLIR and LLVM; the others do not even see those
# headers. EXCEPTIONS marks the one that throws. PCH_OF takes the precompiled header of a layer whose options are the same.
function(pliant_layer name)
  cmake_parse_arguments(L "LLVM;EXCEPTIONS" "PCH_OF" "PCH;SOURCES;LINK" ${ARGN})
  add_library(pliant_${name} OBJECT ${L_SOURCES})
  target_include_directories(pliant_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated
                             ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(pliant_${name} PRIVATE -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
                         $<$<NOT:$<BOOL:${L_EXCEPTIONS}>>:-fno-exceptions>
                         $<$<BOOL:${PLIANT_WERROR}>:-Werror>)
  if(L_LLVM)
    target_include_directories(pliant_${name} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
    target_compile_definitions(pliant_${name} PUBLIC ${LLVM_DEFINITIONS_LIST})
  endif()
  if(L_PCH)
    target_precompile_headers(pliant_${name} PRIVATE ${L_PCH})
  elseif(L_PCH_OF)
    target_precompile_headers(pliant_${name} REUSE_FROM pliant_${L_PCH_OF})
  endif()
  add_dependencies(pliant_${name} pliant_generated)
endfunction()

# pliant_test(NAME [PCH headers of src...] SOURCES files... LIBS libraries... [TIMEOUT s]): one GoogleTest executable and ctest
# entry.
function(pliant_test name)
  cmake_parse_arguments(T "" "TIMEOUT" "PCH;SOURCES;LIBS" ${ARGN})
  add_executable(pliant-test-${name} ${T_SOURCES})
  target_include_directories(pliant-test-${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated
                             ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/tools)
  target_link_libraries(pliant-test-${name} PRIVATE ${T_LIBS} GTest::gtest_main)
  list(TRANSFORM T_PCH PREPEND ${PROJECT_SOURCE_DIR}/src/)
  target_precompile_headers(pliant-test-${name} PRIVATE <gtest/gtest.h> ${T_PCH})
  add_dependencies(pliant-test-${name} pliant_generated)
  add_test(NAME ${name} COMMAND pliant-test-${name})
  if(T_TIMEOUT)
    set_tests_properties(${name} PROPERTIES TIMEOUT ${T_TIMEOUT})
  endif()
endfunction()
