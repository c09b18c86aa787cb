"""One folder a language, each with the same five things: `__init__`, `names`, `types`, `view`, `templates/`."""
