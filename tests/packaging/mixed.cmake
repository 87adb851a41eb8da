# Compiles the files of a program with and without ROBOTS_COMPILED. The linker must accept files that are alike. It
# must refuse a mixture, in each order, and its error must name the macro.
cmake_minimum_required(VERSION 3.25)

file(MAKE_DIRECTORY "${FOLDER}")
file(WRITE "${FOLDER}/main.cpp" "#include <robots/base/hash.hpp>\nint main() {}\n")
file(WRITE "${FOLDER}/other.cpp" "#include <robots/base/hash.hpp>\n")

# run(<variable> <argument>...): runs the compiler in FOLDER. Sets the variable to its errors, or to nothing if there
# are none.
function(run variable)
  execute_process(COMMAND "${CXX}" ${ARGN} WORKING_DIRECTORY "${FOLDER}" RESULT_VARIABLE result OUTPUT_VARIABLE said
                  ERROR_VARIABLE said)
  if(result EQUAL 0)
    set(said "")
  endif()
  set(${variable} "${said}" PARENT_SCOPE)
endfunction()

foreach(how IN ITEMS "-O0" "-O2;-flto")
  foreach(source IN ITEMS main other)
    run(errors -std=c++20 ${how} "-I${SOURCE_DIR}/include" -c ${source}.cpp -o ${source}_without.o)
    string(APPEND errors_of_compiler "${errors}")
    run(errors -std=c++20 ${how} "-I${SOURCE_DIR}/include" -DROBOTS_COMPILED -c ${source}.cpp -o ${source}_with.o)
    string(APPEND errors_of_compiler "${errors}")
  endforeach()
  if(errors_of_compiler)
    message(FATAL_ERROR "The files do not compile:\n${errors_of_compiler}")
  endif()
  set(is_possible TRUE)
  foreach(kind IN ITEMS with without)
    run(errors ${how} main_${kind}.o other_${kind}.o -o program)
    if(errors AND how MATCHES "flto" AND NOT errors MATCHES "ROBOTS_COMPILED")
      message(STATUS "The linker cannot link with ${how}")
      set(is_possible FALSE)
    elseif(errors)
      message(SEND_ERROR "${how}: two files ${kind} ROBOTS_COMPILED must link:\n${errors}")
    endif()
  endforeach()
  foreach(objects IN ITEMS "main_with.o;other_without.o" "main_without.o;other_with.o"
                           "other_with.o;main_without.o" "other_without.o;main_with.o")
    run(errors ${how} ${objects} -o program)
    if(is_possible AND NOT errors MATCHES "define_ROBOTS_COMPILED_in_all_files_or_in_none")
      message(SEND_ERROR "${how}: the linker must refuse ${objects}, and name the macro. It says: ${errors}")
    endif()
  endforeach()
endforeach()
