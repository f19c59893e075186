"""Indexing with a language model as it is typed: forecasts, caps, prices, errors and their exit codes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from polyhop.cli.main import main
from tests.worlds.endpoint import refuses
from tests.worlds.paid_logbook import PRICES, Place, failing_from

Typed = Callable[..., tuple[int, str, str]]


@pytest.fixture
def typed(place: Place, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Runs ``polyhop index`` with more arguments: exit code, standard output, standard error."""

    def run(*more: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main(place.arguments(*more))
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        assert isinstance(left.value.code, int)
        return left.value.code, captured.out, captured.err

    return run


def test_a_person_foresees_caps_pays_and_goes_on(
    typed: Typed, place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    """The journey: a dry run, a run with a cap, another without, a look at what was paid."""
    prices = [part for key, value in PRICES.items() for part in ("--set", f"language_model.{key}={value}")]
    code, out, _ = typed("--dry-run", *prices)
    assert code == 0
    assert re.search(r"Layer facts: 40 passages to do.*at most 10 calls, [\d,]+ tokens, 0\.\d{4} to pay\.", out)

    code, out, err = typed("--max-money", "0.0155", *prices)
    assert code == 10
    assert re.search(r"Layer facts: 16 passages done, 0 up to date, 24 left; .* 5 calls, 5,000 tokens, 0.0110", out)
    assert "holds 40 documents" in out
    assert "Stopped: The next call may take" in err
    assert "Raise the cap on money" in err
    assert "The same command goes on from there; caps count anew in each run." in err

    code, out, err = typed("--max-tokens", "100000", *prices)
    assert code == 0
    assert "Layer facts: 24 passages done, 16 up to date;" in out
    assert "5 calls, 5,000 tokens, 0.0110 to pay" in out
    assert "Stopped" not in err

    with pytest.raises(SystemExit):
        main(["status", *place.arguments()[4:]])
    assert "layer facts: 40 done" in (status := capsys.readouterr().out)
    assert "so far 10 calls, 10,000 tokens, 0.0220 to pay" in status
    assert len(place.server.requests) == 10


def test_json_tells_of_the_cap_too(typed: Typed) -> None:
    code, out, _ = typed("--max-tokens", "6500", "--json")
    assert code == 10
    (layer,) = json.loads(out)["layers"]
    assert (layer["extracted"], layer["left"], layer["cost"]["llm_calls"]) == (16, 24, 5)
    assert "Raise the cap on tokens" in layer["stopped"]


def test_an_endpoint_that_is_down_is_an_error_with_its_code(typed: Typed, place: Place) -> None:
    place.server.script = failing_from(6, refuses(503, "out to lunch"))
    code, out, err = typed()
    assert (code, out) == (9, "")
    assert "out to lunch" in err
    assert "16 of 40 passages were done before and are stored" in err


@pytest.mark.parametrize(
    ("more", "code", "message", "remedy"),
    [
        (("--max-money", "3"), 2, "no prices are set", "language_model.prompt_price"),
        (("--max-tokens", "9", "--set", "layers.facts.extractor=syntax"), 2, "no layer of this command", "--layers"),
        (("--max-money", "3", "--layers", "text"), 2, "no layer of this command", "extractor=language_model"),
        (("--max-tokens", "9", "--set", "models.language_model=none"), 8, "none is configured", "POLYHOP_BASE_URL"),
        (("--max-tokens", "9", "--set", "models.language_model=smollm2"), 2, "no setting 'base_url'", "Known:"),
        (("--max-tokens", "0"), 2, "0 is not in the range", ""),
        (("--max-money", "0"), 2, "0.0 is not in the range", ""),
    ],
)
def test_caps_that_would_cap_nothing_are_refused(
    typed: Typed, place: Place, more: tuple[str, ...], code: int, message: str, remedy: str
) -> None:
    got, out, err = typed(*more)
    assert (got, out) == (code, "")
    assert message in err
    assert remedy in err
    assert not (place.folder / "an.index").exists()
    assert place.server.requests == []
