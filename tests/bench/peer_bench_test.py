#!/usr/bin/env python3
"""peer_bench speaks its protocol: what it lists and measures are JSON lines with the keys that the runner needs."""
import json
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)


def ask(*commands, arguments=("--contender", "us", "--threads", "2")):
    done = subprocess.run([PROGRAM, *arguments], input="".join(f"{c}\n" for c in commands), text=True,
                          capture_output=True, timeout=100)
    return done, [json.loads(line) for line in done.stdout.splitlines()]


class PeerBench(unittest.TestCase):
    def test_lists_every_case_once_and_ends(self):
        done, lines = ask("list", "quit")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(lines.pop(), {"end": True})
        cases = [(line["bench"], line["size"]) for line in lines]
        self.assertEqual(len(cases), len(set(cases)))
        for case in [("D1.identity", "k4"), ("D2.signatures", "S1024r"), ("D4.trace", "n100"), ("E3.while", "t10000"),
                     ("F1.chain10", "2^2"), ("G1.gemm", "512"), ("M.mlp_step", "b32")]:
            self.assertIn(case, cases)

    def test_measures_with_what_the_runner_needs(self):
        for recorder in ((), ("--recorder",)):
            done, lines = ask("run F1.chain10 2^2 0.01", "run E1.cumsum n10 0.01", "run D4.trace n10 0.01",
                              arguments=("--contender", "us", "--threads", "2", *recorder))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([(line["bench"], line["size"]) for line in lines],
                             [("F1.chain10", "2^2"), ("E1.cumsum", "n10"), ("D4.trace", "n10")])
            for line in lines:
                self.assertEqual((line["contender"], line["threads"]), ("us", 2))
                self.assertGreater(line["ns_per_op"], 0)
                self.assertLessEqual(line["min_ns"], line["ns_per_op"])
                self.assertIsInstance(line["check"], float)
        # the mean absolute outputs that all contenders have
        self.assertAlmostEqual(lines[0]["check"], 0.0802695, 6)
        self.assertAlmostEqual(lines[1]["check"], 0.000865026, 8)

    def test_says_what_it_does_not_know(self):
        _, lines = ask("run F1.chain10 2^99 0.01", "walk", "run D4.trace n10 0.01")
        self.assertEqual(lines[0]["error"], "no such case")
        self.assertIn("walk", lines[1]["error"])
        self.assertNotIn("error", lines[2])
        refused, _ = ask(arguments=("--threads", "none"))
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--threads", refused.stderr)


unittest.main()
