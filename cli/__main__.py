"""`python -m t2c.cli` is `t2c`."""

import sys

from t2c.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
