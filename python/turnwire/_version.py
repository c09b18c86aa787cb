"""The package version; the protocol's own version is `protocol/VERSION`."""

__version__ = "0.1.0"
