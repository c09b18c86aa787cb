"""Stores keep the events of threads; everything that the server says of a thread is derived from them."""
