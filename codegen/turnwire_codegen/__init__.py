"""The generator: JSON Schema in, bindings out. It imports nothing of the runtime, and the runtime nothing of it."""
