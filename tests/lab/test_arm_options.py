"""Options that an arm sets for its detector: which are taken, and that they are part of what a result is keyed by."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from reviews.errors import InvalidError
from reviews.lab import experiment_worker
from reviews.lab.arm_options import ARM_OPTIONS, read_option
from reviews.lab.experiment_judging import Round
from reviews.lab.experiments import ArmChoice, is_current, request_experiment
from reviews.models import DatasetVersion, Experiment, ExperimentVerdict
from reviews.provenance.detectors.base import Options
from tests.cast import Cast
from tests.datasets.collections import made_version


@pytest.fixture
def version(cast: Cast, tmp_path: Path) -> DatasetVersion:
    """Three calls."""
    return made_version(cast, tmp_path, 3)


def begun(version: DatasetVersion, *arms: ArmChoice) -> Experiment:
    return request_experiment(version, name="options", arms=arms, by=None)


def test_an_arm_runs_under_its_own_options(version: DatasetVersion) -> None:
    options = {"order": "paper", "threshold": 0.25}
    plain, own = begun(version, ArmChoice("argus"), ArmChoice("argus", options=options)).arms.all()
    of_plain, of_own = (Round.begin(arm, 1).detector for arm in (plain, own))
    assert (vars(of_plain)["_options"].order, vars(of_own)["_options"].order) == ("parallel", "paper")
    assert vars(of_own)["_options"].threshold == 0.25


def test_options_tell_results_and_titles_apart(version: DatasetVersion) -> None:
    experiment = begun(version, ArmChoice("argus"), ArmChoice("argus", options={"order": "paper"}))
    plain, own = experiment.arms.all()
    assert plain.configuration["options"] != own.configuration["options"]
    assert (plain.title, own.title) == ("argus, rules", "argus, rules, order paper")
    assert is_current(experiment)


def test_arms_that_differ_in_options_alone_are_judged_side_by_side(version: DatasetVersion) -> None:
    experiment = begun(version, ArmChoice("intent-guard"), ArmChoice("intent-guard", options={"without_plan": "steps"}))
    experiment_worker.run_here(experiment.pk)
    verdicts = ExperimentVerdict.objects.order_by("arm__ordinal", "entry__ordinal").values_list(
        "arm__ordinal", "reason"
    )
    assert [arm for arm, _ in verdicts] == [1, 1, 1, 2, 2, 2]
    assert len({reason for _, reason in verdicts}) > 1


@pytest.mark.parametrize(
    ("detector", "options", "pointer", "message"),
    [
        ("argus", {"speed": 1}, "speed", "There is no option “speed”; there is threshold, order"),
        ("argus", {"window": 3}, "window", "argus has no option “window”; intent-guard has"),
        ("intent-guard", {"window": 0}, "window", "1 to 20 calls"),
        ("intent-guard", {"window": True}, "window", "1 to 20 calls"),
        ("argus", {"threshold": 1.5}, "threshold", "a number from 0 to 1"),
        ("argus", {"order": "later"}, "order", "“later” is none of parallel, paper"),
        ("provenance-guard", {"contribute_to": "maybe"}, "contribute_to", "true or false"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused_in_its_place(
    version: DatasetVersion, detector: str, options: dict[str, Any], pointer: str, message: str
) -> None:
    with pytest.raises(InvalidError, match=message) as refused:
        begun(version, ArmChoice("argus"), ArmChoice(detector, options=options))
    assert refused.value.errors[0].pointer == f"/arms/1/options/{pointer}"


def test_every_option_is_one_of_the_engine_s() -> None:
    assert set(ARM_OPTIONS) <= set(vars(Options()))


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("window", "3", 3), ("threshold", "0.4", 0.4), ("contribute_to", "false", False), ("order", "paper", "paper"),
     ("window", "three", "three"), ("speed", "1", "1")],
)  # fmt: skip
def test_an_option_is_read_as_it_is_written_in_a_shell(name: str, text: str, value: object) -> None:
    assert read_option(name, text) == value


@pytest.mark.usefixtures("in_this_process")
def test_the_command_takes_arms_with_options(cast: Cast, version: DatasetVersion) -> None:
    call_command(
        "experiment", cast.workspace.slug, "options", "--dataset", version.dataset.name,
        "--arm", "provenance-guard", "--arm", "intent-guard", "window=3", "without_plan=steps",
        stdout=StringIO(), stderr=StringIO(),
    )  # fmt: skip
    assert [(arm.detector, arm.settings.get("options")) for arm in Experiment.objects.get().arms.all()] == [
        ("provenance-guard", None),
        ("intent-guard", {"window": 3, "without_plan": "steps"}),
    ]
