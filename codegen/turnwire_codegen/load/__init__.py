"""JSON becomes the intermediate representation; loaders make no decisions, they report what has no form."""
