"""Schemas of others become the same IR; what has no form in it is a Finding with its pointer, never a silent Any."""
