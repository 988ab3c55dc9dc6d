#pragma once

/// Runs the registered benchmarks and prints one JSON object per line and measurement: name, wall and CPU
/// time per iteration in ns, iterations, the program's own counters. Flags are Google Benchmark's
/// (--benchmark_filter=...,
/// --benchmark_repetitions=...: then mean, median and deviation are lines of their own). Returns the exit
/// code.
int runBenchmarks(int argc, char** argv);
