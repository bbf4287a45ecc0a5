"""Roundtable Desktop: coding agents that work while their developer does something else."""

__version__ = "0.1.0"
