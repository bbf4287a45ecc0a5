"""The ground under every test of the store."""

from ground import ground

__all__ = ["ground"]
