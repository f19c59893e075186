"""What every planner is: a question in, a plan out; and which one plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from polyhop import registry
from polyhop.errors import ModelMissing
from polyhop.settings import AUTO, Settings

if TYPE_CHECKING:
    from polyhop.models.within import Within
    from polyhop.planning.recorded import PlanFile
    from polyhop.plans import Plan

RULES: Final = "rules"
OFFLINE: Final = "trained"  # the planner that asks no language model
RECORDED: Final = "recorded"
NO_SETTINGS: Final[Mapping[str, Any]] = MappingProxyType({})


@runtime_checkable
class Planner(Protocol):
    """Takes questions apart. A planner is a frozen dataclass; its fields are its settings."""

    def plan(self, question: str, names: Sequence[str], model: Within | None) -> Plan:
        """The plan of a question: at least one step, unless the question is blank.

        ``names`` are those in the question that the index knows, and no step takes them apart. ``model`` counts what it
        is asked; None: no language model may be asked, and a planner that needs one leaves the question to our own.

        Raises EndpointError, and UsageError for what the planner needs and cannot read.
        """


@dataclass(frozen=True, kw_only=True)
class Planning:
    """How questions are planned: by the planner that the settings name or, where they name none, as suits."""

    settings: Settings = field(default_factory=Settings)
    built: dict[str, Planner] = field(default_factory=dict, repr=False, compare=False)  # by name, each when first used
    kept: PlanFile | None = None  # to which each plan is added

    def plan(self, question: str, names: Sequence[str], model: Within | None, *, prefer: str = RULES) -> Plan:
        """The plan of a question by the planner named; where none is, without a model, or by the preferred one with it.

        Raises UnknownComponent, SettingError, and what the planner raises.
        """
        name, own = self.settings.choice("planner")
        if name == AUTO:
            wanted = RULES if model is None else prefer
            plan = self._offline(question, names) if wanted == RULES else self._by(wanted).plan(question, names, model)
        elif name == RECORDED:  # a file may have a plan in each form
            wanted = prefer
            plan = self._by(name, {"prefer": prefer, **own}, prefer).plan(question, names, model)
        else:
            wanted = name
            plan = self._by(name, own).plan(question, names, model)
        if self.kept is not None:
            self.kept.keep(question, wanted, plan)
        return plan

    def _by(self, name: str, own: Mapping[str, Any] = NO_SETTINGS, wanted: str = "") -> Planner:
        """The planner of this name, built when it is first used."""
        if (built := f"{name} {wanted}") not in self.built:
            self.built[built] = registry.build("planners", name, own)
        return self.built[built]

    def _offline(self, question: str, names: Sequence[str]) -> Plan:
        """By our own model; by the rules of grammar where its weights are not installed."""
        try:
            return self._by(OFFLINE).plan(question, names, None)
        except ModelMissing:
            return self._by(RULES).plan(question, names, None)
