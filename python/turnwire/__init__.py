"""Turnwire: a protocol toolkit for agent app servers.

`import turnwire` costs the version and nothing more. Take what you need from where it lives: `turnwire.client`,
`turnwire.server`, and `turnwire.wire` for the types and tables of the protocol.
"""

from turnwire._version import __version__

__all__ = ["__version__"]
