"""The judge's own WebSocket client: frames by hand, which may be what no library sends and tell what none tells.

It shares no code with the transports of the server (decision 0038), which are under judgement here.
"""
