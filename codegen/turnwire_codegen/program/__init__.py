"""What every printer of validators shares: plans become functions of a few statements and conditions.

How a language prints its validators from here:
1. Call `flat(plans, roots)`, or `tabled(plans, roots)` where records, lists and maps are to be data (smaller code).
2. Give each `Function.plan` a name (`naming`), and print its body: one `match` over the statements of `act`, one over
   the conditions of `ask`, and for the tabled form one over the steps of `act.First` and the checks of `table`.
3. Decide nothing: order, kinds that are known, what can never be reached, and where a fault is told are decided.
"""

from turnwire_codegen.program.build import Function, flat, tabled

__all__ = ["Function", "flat", "tabled"]
