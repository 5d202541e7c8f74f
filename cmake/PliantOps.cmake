# SPDX-License-Identifier: Apache-2.0
# The op folders. `pliant_ops(a b c ...)` checks that each folder has its parts, sorts its files by suffix into layers,
# and generates the registry, builder methods and tables from the contracts.
function(pliant_ops)
  set(ops ${CMAKE_CURRENT_SOURCE_DIR}/ops)
  set(generated ${PROJECT_BINARY_DIR}/generated)
  set(umbrella "include \"ir/base.td\"\ninclude \"ir/control.td\"\ninclude \"ir/list.td\"\n")
  set(contracts ir/base.td ir/control.td ir/list.td)
  foreach(op ${ARGN})
    foreach(part ${op}.td)
      if(NOT EXISTS ${ops}/${op}/${part})
        message(FATAL_ERROR "op '${op}': src/ops/${op}/${part} is missing (every op needs its contract)")
      endif()
    endforeach()
    if(NOT EXISTS ${ops}/${op}/${op}.decompose.cpp)
      foreach(part shape ref)
        if(NOT EXISTS ${ops}/${op}/${op}.${part}.cpp AND NOT (op STREQUAL source AND part STREQUAL ref))
          message(FATAL_ERROR "op '${op}': src/ops/${op}/${op}.${part}.cpp is missing")
        endif()
      endforeach()
    endif()
    string(APPEND umbrella "include \"ops/${op}/${op}.td\"\n")
    list(APPEND contracts ops/${op}/${op}.td)
    # A part may be split over several files: conv.ref.cpp, conv_grouped.ref.cpp.
    foreach(part shape ref decompose)
      file(GLOB files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${ops}/${op}/*.${part}.cpp)
      list(APPEND core ${files})
    endforeach()
    file(GLOB emit_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${ops}/${op}/*.emit.cpp)
    list(APPEND emit ${emit_files})
    file(GLOB onnx_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${ops}/${op}/*.onnx.cpp)
    list(APPEND onnx ${onnx_files})
    file(GLOB test_files CONFIGURE_DEPENDS ${ops}/${op}/*.test.cpp)
    list(APPEND tests ${test_files})
    if(EXISTS ${ops}/${op}/${op}.emit.cpp)
      list(APPEND emit_folders ${op})
    endif()
    if(EXISTS ${ops}/${op}/${op}.onnx.cpp)
      list(APPEND onnx_folders ${op})
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${generated}/ops/all.td CONTENT "${umbrella}" @ONLY)
  list(TRANSFORM contracts PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)

  list(JOIN onnx_folders "," onnx_folders)
  list(JOIN emit_folders "," emit_folders)
  set(outputs attrs.h builder_methods.inc registry.cpp ir_table.cpp emit_table.cpp onnx_table.cpp examples.inc)
  list(TRANSFORM outputs PREPEND ${generated}/ops/)
  list(APPEND outputs ${generated}/pliant/ops.h ${generated}/api/surface.cpp
       ${generated}/api/functions_by_name.cpp)
  add_custom_command(
    OUTPUT ${generated}/ops/stamp
    BYPRODUCTS ${outputs}
    COMMAND ${LLVM_TOOLS_BINARY_DIR}/llvm-tblgen -dump-json -I ${CMAKE_CURRENT_SOURCE_DIR} -I ${MLIR_INCLUDE_DIRS}
            ${generated}/ops/all.td -o ${generated}/ops/all.json
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/gen_ops.py ${generated}/ops/all.json ${generated}
            "${onnx_folders}" "${emit_folders}"
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/gen_surface.py ${generated}/ops/all.json ${generated}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/gen_calls.py ${generated}/ops/all.json ${generated}
            ${PROJECT_SOURCE_DIR}/bindings/python/stub.pyi ${PROJECT_BINARY_DIR}/python/pliant/__init__.pyi
    COMMAND ${CMAKE_COMMAND} -E touch ${generated}/ops/stamp
    DEPENDS ${contracts} ${generated}/ops/all.td ${PROJECT_SOURCE_DIR}/bindings/python/stub.pyi
            ${PROJECT_SOURCE_DIR}/scripts/gen_ops.py
            ${PROJECT_SOURCE_DIR}/scripts/gen_calls.py ${PROJECT_SOURCE_DIR}/scripts/gen_surface.py
    VERBATIM)

  # mlir-tblgen: the dialect's classes.
  foreach(pair "dialect.h.inc:-gen-dialect-decls:-dialect=pliant" "dialect.cpp.inc:-gen-dialect-defs:-dialect=pliant"
               "attrs.h.inc:-gen-attrdef-decls:--attrdefs-dialect=pliant"
               "attrs.cpp.inc:-gen-attrdef-defs:--attrdefs-dialect=pliant"
               "types.h.inc:-gen-typedef-decls:--typedefs-dialect=pliant"
               "types.cpp.inc:-gen-typedef-defs:--typedefs-dialect=pliant" "ops.h.inc:-gen-op-decls:-dialect=pliant"
               "ops.cpp.inc:-gen-op-defs:-dialect=pliant")
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 file)
    list(GET pair 1 mode)
    list(GET pair 2 selection)
    add_custom_command(
      OUTPUT ${generated}/ir/${file}
      COMMAND ${LLVM_TOOLS_BINARY_DIR}/mlir-tblgen ${mode} ${selection} -I ${CMAKE_CURRENT_SOURCE_DIR} -I ${MLIR_INCLUDE_DIRS}
              ${generated}/ops/all.td -o ${generated}/ir/${file} --write-if-changed
      DEPENDS ${contracts} ${generated}/ops/all.td
      VERBATIM)
    list(APPEND dialect ${generated}/ir/${file})
  endforeach()
  file(MAKE_DIRECTORY ${generated}/ir)
  add_custom_target(pliant_generated DEPENDS ${generated}/ops/stamp ${dialect})
  foreach(kind core emit onnx tests)
    set(PLIANT_OPS_${kind} ${${kind}} PARENT_SCOPE)
  endforeach()
endfunction()
