"""The rules that need no stimulus: a fold over the messages of one connection, whoever recorded them.

`check trace` folds a file, live checks fold what their own traffic left behind; there is one set of rules.
"""

from turnwire.conformance.passive.conversation import Conversation
from turnwire.conformance.passive.findings import Breach
from turnwire.conformance.passive.folded import Folded, Found
from turnwire.conformance.passive.payloads import Payloads

__all__ = ["Breach", "Conversation", "Folded", "Found", "Payloads"]
