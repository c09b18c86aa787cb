"""`python -m conformance.front NAME PORT [TOKEN]`: one of these servers as a process."""

import sys

from conformance.front import MUTANTS, VARIANTS
from conformance.front.house import main

name, port, *token = sys.argv[1:]
main({**MUTANTS, **VARIANTS}[name], int(port), "".join(token))
