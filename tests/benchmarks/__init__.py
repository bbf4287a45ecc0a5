"""Benchmarks: ratios of two things measured side by side, run by `dev.py bench`."""
