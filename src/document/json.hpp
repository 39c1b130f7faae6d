// Documents, and Json with all it can do. Headers that only pass either on do with document.hpp or
// json_fwd.hpp, because the library behind it is heavy.
#pragma once

#include <simdjson.h>

#include "document/document.hpp"
#include "document/json_fwd.hpp"
