"""`python -m conformance.front NAME HOST:PORT [TOKEN]`: one of these servers as a process."""

import sys

from conformance.front import MUTANTS, VARIANTS
from conformance.front.house import main

name, address, *token = sys.argv[1:]
host, _, port = address.partition(":")
main({**MUTANTS, **VARIANTS}[name], host, int(port), "".join(token))
