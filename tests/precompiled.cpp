// Holds the headers that are compiled before the tests: see tests/CMakeLists.txt.
