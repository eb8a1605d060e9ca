# Finds the packaged LLVM and MLIR 22 and says how Stitch links them:
#   STITCH_MLIR_INCLUDE_DIR  headers
#   STITCH_MLIR_LIBRARIES    what an executable that uses libStitch.a links, in order
#   STITCH_MLIR_TBLGEN       mlir-tblgen
#   STITCH_LLVM_BUILTINS     compiler-rt, which model files are linked with
#   stitch_tablegen(OUT_VAR TD_FILE OUTPUT FLAGS...)
#
# The C API comes as static archives, which are linked by path: their imported CMake targets would pull the
# static MLIR libraries in a second time beside libMLIR.so.
set(STITCH_LLVM_MAJOR 22)
set(STITCH_LLVM_PREFIX "/usr/lib/llvm-22" CACHE PATH "Where LLVM and MLIR 22 are installed")
set(STITCH_MLIR_INCLUDE_DIR "${STITCH_LLVM_PREFIX}/include")
find_program(STITCH_MLIR_TBLGEN mlir-tblgen HINTS "${STITCH_LLVM_PREFIX}/bin" NO_DEFAULT_PATH)
find_library(STITCH_LIBMLIR MLIR HINTS "${STITCH_LLVM_PREFIX}/lib" NO_DEFAULT_PATH)
find_library(STITCH_LIBLLVM LLVM HINTS "${STITCH_LLVM_PREFIX}/lib" NO_DEFAULT_PATH)
if(NOT STITCH_MLIR_TBLGEN OR NOT STITCH_LIBMLIR OR NOT STITCH_LIBLLVM)
  message(FATAL_ERROR "MLIR 22 was not found under ${STITCH_LLVM_PREFIX}: install llvm-22-dev, libmlir-22-dev and "
                      "mlir-22-tools, or set STITCH_LLVM_PREFIX")
endif()
set(STITCH_BUILTINS_NAME "libclang_rt.builtins-${CMAKE_SYSTEM_PROCESSOR}.a")
set(STITCH_LLVM_BUILTINS "${STITCH_LLVM_PREFIX}/lib/clang/22/lib/linux/${STITCH_BUILTINS_NAME}")
file(GLOB STITCH_MLIR_CAPI_ARCHIVES "${STITCH_LLVM_PREFIX}/lib/libMLIRCAPI*.a")
set(STITCH_MLIR_LIBRARIES -Wl,--start-group ${STITCH_MLIR_CAPI_ARCHIVES} -Wl,--end-group ${STITCH_LIBMLIR}
                          ${STITCH_LIBLLVM})

# Runs mlir-tblgen on TD_FILE (relative to the current folder) and appends the output's path to OUT_VAR.
function(stitch_tablegen OUT_VAR TD_FILE OUTPUT)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${OUTPUT}")
  get_filename_component(out_dir "${out}" DIRECTORY)
  file(MAKE_DIRECTORY "${out_dir}")
  file(GLOB_RECURSE td_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/dialects/*.td")
  add_custom_command(
    OUTPUT "${out}"
    COMMAND "${STITCH_MLIR_TBLGEN}" ${ARGN} -I "${STITCH_MLIR_INCLUDE_DIR}" -I "${PROJECT_SOURCE_DIR}"
            "${CMAKE_CURRENT_SOURCE_DIR}/${TD_FILE}" -o "${out}"
    DEPENDS ${td_files}
    COMMENT "mlir-tblgen ${OUTPUT}")
  set(${OUT_VAR} ${${OUT_VAR}} "${out}" PARENT_SCOPE)
endfunction()
