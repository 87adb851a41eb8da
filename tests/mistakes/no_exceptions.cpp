// Must compile without exceptions, with all headers of rep/. Only a test builds this file.
#include <robots/rep.hpp>

bool may_fetch(std::string_view text) { return robots::compile(text, "FooBot").allows("/x"); }
