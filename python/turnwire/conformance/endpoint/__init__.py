"""A model that is none: an HTTP endpoint on the loopback that says what a prompt tells it to.

With it a server of any house takes turns whose course is known, offline, if it can be pointed at a model of its own.
"""

from turnwire.conformance.endpoint.replies import Reply, reply_to
from turnwire.conformance.endpoint.serving import hosted

__all__ = ["Reply", "hosted", "reply_to"]
