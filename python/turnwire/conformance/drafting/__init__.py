"""`check init`: a first contract for somebody's own server, from its schema and from what it says when it is met.

What the schema says is taken from it, what only the server can say is asked of it, and all else is what JSON-RPC says.
"""

from turnwire.conformance.drafting.contract import NoContract, read_contract
from turnwire.conformance.drafting.draft import DraftOptions, draft

__all__ = ["DraftOptions", "NoContract", "draft", "read_contract"]
