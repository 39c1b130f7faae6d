// A 128-bit integer for products of two int64. The declaration avoids a warning of -Wpedantic.
#pragma once

namespace muster {

__extension__ typedef __int128 Int128;

}  // namespace muster
