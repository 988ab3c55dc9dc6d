// The front door compiles on its own: what this library is, for the linker.
#include <retracescope/retracescope.h>
