"""`python -m turnwire` is the command `turnwire`."""

from turnwire.cli import entry

entry()
