"""Hand-written modules that every generated package carries: they are copied, never imported from here."""
