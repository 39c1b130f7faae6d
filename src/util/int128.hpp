// A 128-bit integer for products of two int64, which -Wpedantic would otherwise refuse.
#pragma once

namespace muster {

__extension__ typedef __int128 Int128;

}  // namespace muster
