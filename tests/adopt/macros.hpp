// Words that other libraries define as macros, before the adopted headers. What uses one of them does not compile. The
// headers of others come first: not all of them can stand these macros.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <bitset>
#include <cassert>
#include <chrono>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <limits>
#include <locale>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>
#if __has_include(<immintrin.h>)
#include <immintrin.h>
#endif
#if __has_include(<boost/unordered/unordered_flat_map.hpp>)
#include <boost/unordered/unordered_flat_map.hpp>
#endif
#include <tbb/parallel_for.h>
#include <glm/glm.hpp>

// windows.h, and what it includes
#define min(a, b) )
#define max(a, b) )
#define near )
#define far )
#define small )
#define huge )
#define hyper )
#define interface )
#define pascal )
#define cdecl )
#define IN )
#define OUT )
#define OPTIONAL )
#define CALLBACK )
#define CONST )
#define VOID )
#define TRUE )
#define FALSE )
#define ERROR )
#define NO_ERROR )
#define DELETE )
#define DIFFERENCE )
#define DOMAIN )
#define OVERFLOW )
#define STRICT )
#define THIS )
#define rad1 )
#define rad2 )
#define GetObject )
#define GetMessage )
#define GetClassName )
#define CreateWindow )
#define DrawText )
#define LoadImage )
#define SendMessage )
#define Yield() )
#define free(p) )
#define malloc(s) )
// Qt
#define slots )
#define signals )
#define emit )
#define foreach(a, b) )
#define forever )
// Apple's AssertMacros.h, Unreal, GSL
#define check(...) )
#define verify(...) )
#define require(...) )
#define ensure(...) )
#define nil )
#define YES )
#define NO )
#define CHECK(...) )
#define VERIFY(...) )
#define ASSERT(...) )
#define LOG(...) )
#define TEST(...) )
#define TEXT(...) )
// X11
#define None )
#define Bool )
#define Status )
#define Success )
#define Always )
#define Above )
#define Below )
#define Complex )
#define Convex )
#define Unsorted )
#define True )
#define False )
#define KeyPress )
#define FocusIn )
#define Expose )
#define CursorShape )
#define DefaultScreen(...) )
// complex.h, sys/types.h, termios.h, old compilers, gettext
#define I )
#define complex )
#define imaginary )
#define major(...) )
#define minor(...) )
#define makedev(...) )
#define unix )
#define linux )
#define i386 )
#define B0 )
#define ECHO )
#define _(text) )
// Arduino, games of old
#define PI )
#define HIGH )
#define LOW )
#define INPUT )
#define OUTPUT )
#define CHANGE )
#define DEFAULT )
#define abs(a) )
#define round(a) )
#define clamp(a, b, c) )
#define constrain(a, b, c) )
#define bit(a) )
#define sq(a) )
#define F(text) )
#define likely(a) )
#define unlikely(a) )
#define EMPTY )
#define UNUSED )
