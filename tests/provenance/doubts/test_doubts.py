"""What holds of all doubts: each has its place among what is told first."""

import importlib
import pkgutil

import pytest
from hypothesis import given

from reviews.provenance import doubts
from reviews.provenance.core.context import Case, Claim
from reviews.provenance.core.verdicts import open_in, open_rank
from reviews.provenance.data.sources import Evidence
from reviews.provenance.judges import RulesJudge
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.claims import check_claim
from tests.provenance.argument_grounding.made import call, context, result
from tests.provenance.argument_grounding.tools import TEXT, tool
from tests.provenance.detectors.scripted import check
from tests.provenance.doubts.asking import PAIRS_OF_AMOUNTS


async def test_a_time_that_nobody_says_is_told_before_an_address_that_was_looked_up() -> None:
    invite = tool("invite", "Invites a person.", email=TEXT, start=TEXT)
    people = result(
        "find_people", [{"name": "Ann Lee", "email": "ann@shop.test"}, {"name": "Bo", "email": "b@shop.test"}]
    )
    asked = context("See the owner tomorrow at the first time I can do", people, offered=(invite,))
    invited = call("invite", email="ann@shop.test", start="2026-03-05T09:00")
    verdict = await check("undetermined", Case(asked, invited), RulesJudge(), unknown="review")
    assert open_in(verdict.findings)[0].subject == "/start"


@given(PAIRS_OF_AMOUNTS)
def test_only_a_claim_that_does_not_stand_is_doubted(amounts: tuple[int, int]) -> None:
    said, other = amounts
    asked = context(f"Pay {said} to Ann.")
    evidence = Evidence(asked)
    for amount, is_false in ((said, False), (other, True)):
        proposed = ProposedCall.of(Case(asked, call("pay", to="Ann", amount=amount)), evidence)
        leaf = next(leaf for leaf in proposed.leaves if leaf.pointer == "/amount")
        checked = check_claim(Claim("/amount", str(said)), leaf, proposed.latest_request, evidence, composed=False)
        assert (checked.stands is False) is is_false


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(doubts.__path__)])
def test_every_doubt_about_a_value_has_its_place_among_what_is_told_first(name: str) -> None:
    module = importlib.import_module(f"{doubts.__name__}.{name}")
    if hasattr(module, "raise_doubt") and hasattr(module, "RULE"):
        assert open_rank("/value", module.RULE) < open_rank("/value", "doubts.nobody_knows")
