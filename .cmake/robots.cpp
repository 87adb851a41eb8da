#include <robots/src.hpp>
