// Documents, and the full interface of Json. Headers that only pass them on include document.hpp or
// json_fwd.hpp instead, because the library is large.
#pragma once

#include <simdjson.h>

#include "document/document.hpp"
#include "document/json_fwd.hpp"
