// retracescope-layout: reads a graph of boxes on standard input, lays it out with Graphviz's dot, writes
// positions on standard output (form: core/layout/layout_wire.h). A program of its own because dot cannot be
// cancelled, is not thread-safe and overflows its stack on deep graphs; whoever started it kills it when it
// is late.

#include <cstdio>
#include <cstdlib>
#include <string>

#include <pthread.h>
#include <sys/resource.h>

#include "app/layout/dot_drawing.h"

#include <retracescope/layout/layout_wire.h>

using namespace retracescope;

namespace {

// dot's depth-first search recurses once per box of a chain: 8 MB are gone at 2400 boxes.
constexpr std::size_t kStackBytes = 512u << 20;
constexpr rlim_t kMemoryBytes = rlim_t{4} << 30;

std::string readInput() {
    std::string text;
    char buffer[1 << 16];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, stdin))
        text.append(buffer, got);
    return text;
}

void* runMain(void* exitCode) {
    const Result<layout::BoxGraph> graph = layout::readBoxGraph(readInput());
    if (!graph) {
        std::fprintf(stderr, "retracescope-layout: %s\n", graph.error().message.c_str());
        *static_cast<int*>(exitCode) = 2;
        return nullptr;
    }
    const Result<layout::GraphLayout> drawn = layout::drawWithDot(*graph);
    if (!drawn) {
        std::fprintf(stderr, "retracescope-layout: %s\n", drawn.error().message.c_str());
        *static_cast<int*>(exitCode) = 1;
        return nullptr;
    }
    const std::string answer = layout::writeGraphLayout(*drawn);
    const bool written = std::fwrite(answer.data(), 1, answer.size(), stdout) == answer.size();
    *static_cast<int*>(exitCode) = written && std::fflush(stdout) == 0 ? 0 : 1;
    return nullptr;
}

} // namespace

int main() {
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ // which map terabytes for their shadow
    const rlimit memory{kMemoryBytes, kMemoryBytes};
    setrlimit(RLIMIT_AS, &memory);
#endif
    int exitCode = EXIT_FAILURE;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, runMain, &exitCode) != 0)
        return EXIT_FAILURE;
    pthread_join(thread, nullptr);
    // Without the exit handlers: freeing Graphviz's graphs takes longer than the system's own clearing up.
    std::fflush(stderr);
    std::_Exit(exitCode);
}
