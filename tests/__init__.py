"""What holds before the first test is imported."""

import os
import sys

import pytest

# Tests start hundreds of processes, and each would compile the same files where a machine keeps no bytecode.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
pytest.register_assert_rewrite("tests.worlds")  # so that what fails there says why, as it does in a test
