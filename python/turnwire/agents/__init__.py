"""Agents answer turns. These need no model; a host brings its own."""
