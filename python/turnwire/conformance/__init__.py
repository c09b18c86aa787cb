"""The judge: checks that a third party can trust, run against any server from outside.

It trusts the bundle and the clauses and nothing else. It speaks on the wire, never through our own client or server.
"""
