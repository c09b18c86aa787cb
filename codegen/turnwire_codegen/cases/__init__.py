"""Small schemas with values, and what generated code makes of them: `python -m turnwire_codegen.cases`."""
