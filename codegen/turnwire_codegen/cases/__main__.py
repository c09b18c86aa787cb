"""`python -m turnwire_codegen.cases DIR`."""

import sys

from turnwire_codegen.cases.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdin, sys.stdout, sys.stderr))
