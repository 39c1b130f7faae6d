// A 128-bit integer for products of two int64, declared so that -Wpedantic accepts it.
#pragma once

namespace muster {

__extension__ typedef __int128 Int128;

}  // namespace muster
