# Builds the module robots with clang, and a program that imports it. Then compares the names that the module
# exports with those that clang finds in the headers.
cmake_minimum_required(VERSION 3.25)

file(MAKE_DIRECTORY "${FOLDER}")
set(module "${SOURCE_DIR}/.cmake/robots.cppm")
set(flags -std=c++20 -pthread -Wno-unused-command-line-argument "-I${SOURCE_DIR}/include" ${INCLUDE_FLAGS})

# compile(<argument>...): runs clang in FOLDER.
function(compile)
  execute_process(COMMAND "${CLANG}" ${flags} ${ARGN} WORKING_DIRECTORY "${FOLDER}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

compile(-x c++-module --precompile "${module}" -o robots.pcm)
compile(-c robots.pcm -o robots.o)
compile(-fmodule-file=robots=robots.pcm "${CMAKE_CURRENT_LIST_DIR}/module/main.cpp" robots.o -o importer)
execute_process(COMMAND "${FOLDER}/importer" COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)

# The list also has names that cannot be exported, such as parameters of templates. A using declaration fails
# for these.
set(includes "#include <robots/robots.hpp>\n#include <robots/testing.hpp>\n")
file(WRITE "${FOLDER}/all.cpp" "${includes}")
execute_process(COMMAND "${CLANG}" ${flags} -fsyntax-only -Xclang -ast-list all.cpp
                WORKING_DIRECTORY "${FOLDER}" COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE listed)
string(REGEX MATCHALL "\nrobots::[^:\n]+" listed "${listed}")
list(TRANSFORM listed REPLACE "\n" "")
list(FILTER listed INCLUDE REGEX "^robots::([A-Za-z_0-9]+|operator[^A-Za-z ]+)$")
list(REMOVE_DUPLICATES listed)
file(STRINGS "${module}" exported REGEX "^  using robots::.*;$")
list(TRANSFORM exported REPLACE "^  using (.*).$" "\\1")
list(REMOVE_ITEM listed ${exported})
set(probe "${includes}namespace probe {\n")
foreach(name IN LISTS listed)
  string(APPEND probe "using ${name};\n")
endforeach()
file(WRITE "${FOLDER}/probe.cpp" "${probe}}\n")
execute_process(COMMAND "${CLANG}" ${flags} -fsyntax-only -ferror-limit=0 probe.cpp
                WORKING_DIRECTORY "${FOLDER}" ERROR_VARIABLE refused)
set(line 4)
foreach(name IN LISTS listed)
  if(NOT refused MATCHES "probe.cpp:${line}:[0-9]+: error")
    message(SEND_ERROR "The module does not export ${name}. Add a line to .cmake/robots.cppm.")
  endif()
  math(EXPR line "${line} + 1")
endforeach()
