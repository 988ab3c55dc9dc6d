#include "tests/bench/json_lines.h"

int main(int argc, char** argv) {
    return runBenchmarks(argc, argv);
}
