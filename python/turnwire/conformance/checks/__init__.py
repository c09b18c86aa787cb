"""The checks themselves: one small function each, named in the catalogue, grouped by layer."""
