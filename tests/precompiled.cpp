// Holds the headers that are compiled before the tests: see .cmake/development.cmake.
