"""Any JSON Schema becomes named Plans: references resolved, layers flattened, faults in order."""

from turnwire_codegen.lower.plans import Lowered, lower, lower_each

__all__ = ["Lowered", "lower", "lower_each"]
