"""`python -m turnwire_codegen`: the generate commands without the rest of the command line."""

import sys

from turnwire_codegen.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdin, sys.stdout, sys.stderr))
