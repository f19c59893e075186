"""How long ``import polyhop`` and ``polyhop --help`` take in fresh processes, beside a Python that does nothing.

Each command runs once before it counts, so that files are in the system's cache and compiled; then all by turns.

    python benchmarks/startup.py [--rounds N] [--json OUT]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

from measuring import (
    Figures,
    beside_others,
    machine,
    median,
    percentile,
    save,
    show_load,
    show_table,
    show_verdicts,
    verdict,
)

LIMITS = {"import polyhop": 0.15, "polyhop --help": 0.3}  # seconds
SHOWN = 12  # imports listed where a limit is missed
IMPORT_LINE = re.compile(r"import time:\s*(\d+) \|\s*(\d+) \|\s*(\S+)")


def commands() -> dict[str, list[str]]:
    """What is timed, by what it is called in the table."""
    script = Path(sysconfig.get_path("scripts")) / ("polyhop.exe" if sys.platform == "win32" else "polyhop")
    return {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import polyhop": [sys.executable, "-c", "import polyhop"],
        "import polyhop; polyhop.Polyhop": [sys.executable, "-c", "import polyhop; polyhop.Polyhop"],
        "polyhop --help": [str(script), "--help"],
        "polyhop index --help": [str(script), "index", "--help"],
        "polyhop ask --help": [str(script), "ask", "--help"],
    }


def seconds(command: list[str]) -> float:
    """How long a process takes from start to end."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def slowest_imports(module: str) -> list[Figures]:
    """The modules whose own code takes longest while ``module`` is imported, and what they bring with them."""
    asked = [sys.executable, "-X", "importtime", "-c", f"import {module}"]
    told = subprocess.run(asked, check=True, capture_output=True, text=True).stderr
    found = [
        {"module": match[3], "own_ms": int(match[1]) / 1000, "with_its_imports_ms": int(match[2]) / 1000}
        for match in IMPORT_LINE.finditer(told)
    ]
    return sorted(found, key=lambda one: -float(one["own_ms"]))[:SHOWN]


def main() -> None:
    """Print the table, and write it as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10, help="fresh processes for each command")
    parser.add_argument("--imports", action="store_true", help="list the slowest imports even where nothing is missed")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    about = {**machine(), "rounds": options.rounds}
    times: dict[str, list[float]] = {name: [] for name in commands()}
    for command in commands().values():
        seconds(command)
    with beside_others(about):
        for _ in range(options.rounds):
            for name, command in commands().items():
                times[name].append(seconds(command))
    table = [
        {"what": name, "median_s": median(spent), "p95_s": percentile(spent, 95), "least_s": min(spent)}
        for name, spent in times.items()
    ]
    verdicts = [verdict(name, median(times[name]), limit, "s") for name, limit in LIMITS.items()]
    imports: dict[str, list[Figures]] = {}
    if options.imports or not all(one["reached"] for one in verdicts):
        imports = {module: slowest_imports(module) for module in ("polyhop", "polyhop.cli.main", "polyhop.engine")}
    show_table(("what", "median s", "p95 s", "least s"), [list(row.values()) for row in table])
    for module, slowest in imports.items():
        print(f"\nslowest imports of {module} (own time)")
        show_table(("module", "own ms", "with its imports ms"), [list(row.values()) for row in slowest])
    show_load(about)
    show_verdicts(verdicts)
    save(options.json, about, {"commands": table, "imports": imports, "verdicts": verdicts})


if __name__ == "__main__":
    main()
