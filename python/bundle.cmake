# Makes an installed package stand alone (component `bundle` of python/CMakeLists.txt; part of the wheel).
#
# Takes BUNDLE_ROOT, the package's folder with our libraries in lib/ and tools in bin/; BUNDLE_FILES, what the compiler needs of LLVM beside
# libraries: its linker and compiler-rt; BUNDLE_PATCHELF. Leaves in lib/ every library that these load but those of the C and C++ compilers,
# which find each other there by $ORIGIN, and in licenses/ the licence of each, as its Debian package has it.
set(system "^(linux-vdso|ld-linux.*|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\\+\\+)\\.so")
set(licences "")

function(bundle_file file folder name)
  file(REAL_PATH "${file}" real)
  file(COPY_FILE "${real}" "${BUNDLE_ROOT}/${folder}/${name}" ONLY_IF_DIFFERENT)
  get_filename_component(real_name "${real}" NAME)
  execute_process(COMMAND dpkg-query -S "*/${real_name}" OUTPUT_VARIABLE owners OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  string(REGEX MATCHALL "[^\n]+" owners "${owners}")
  foreach(owner ${owners}) # `package[:architecture]: path`, and a path before /usr was merged lacks its beginning
    string(REGEX REPLACE "^([^:]+):.* (/.*)$" "\\1;\\2" owner "${owner}")
    list(GET owner 1 path)
    file(REAL_PATH "${path}" path)
    if(path STREQUAL real)
      list(GET owner 0 package)
    endif()
  endforeach()
  if(NOT package OR NOT EXISTS "/usr/share/doc/${package}/copyright")
    message(FATAL_ERROR "${real} cannot be part of the wheel: no Debian package says what its licence is")
  endif()
  file(READ "/usr/share/doc/${package}/copyright" text)
  file(WRITE "${BUNDLE_ROOT}/licenses/${package}" "${text}")
endfunction()

foreach(file ${BUNDLE_FILES})
  get_filename_component(name "${file}" NAME)
  if(name MATCHES "\\.a$")
    bundle_file("${file}" lib "${name}")
  else()
    bundle_file("${file}" bin "${name}")
  endif()
endforeach()

file(GLOB programs "${BUNDLE_ROOT}/bin/*")
file(GLOB libraries "${BUNDLE_ROOT}/lib/libstitch*.so*")
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} LIBRARIES ${libraries} DIRECTORIES "${BUNDLE_LIBRARY_FOLDER}"
     RESOLVED_DEPENDENCIES_VAR needed PRE_EXCLUDE_REGEXES "${system}" POST_EXCLUDE_REGEXES "^${BUNDLE_ROOT}/")
foreach(library ${needed})
  get_filename_component(name "${library}" NAME)
  bundle_file("${library}" lib "${name}")
  execute_process(COMMAND "${BUNDLE_PATCHELF}" --print-rpath "${BUNDLE_ROOT}/lib/${name}" OUTPUT_VARIABLE path COMMAND_ERROR_IS_FATAL ANY)
  if(NOT path MATCHES "ORIGIN") # LLVM's have one that fits
    execute_process(COMMAND "${BUNDLE_PATCHELF}" --set-rpath "$ORIGIN" "${BUNDLE_ROOT}/lib/${name}" COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
