"""What holds before the first test is imported."""

import os
import sys

# Tests start hundreds of processes, and each would compile the same files where a machine keeps no bytecode.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
