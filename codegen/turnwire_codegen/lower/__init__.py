"""Any JSON Schema becomes named Plans: references resolved, layers flattened, faults in order."""

from turnwire_codegen.lower.plans import lower

__all__ = ["lower"]
