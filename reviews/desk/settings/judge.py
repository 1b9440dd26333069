"""The models that judge for the workspace: how each is asked, and a try with questions whose answers are known."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from http import HTTPStatus

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from reviews import access
from reviews.desk.membership import MemberRequest, member_page
from reviews.judging.model_endpoint import options_of
from reviews.judging.prices import prices_of
from reviews.judging.probe import ProbeReport
from reviews.judging.probing import probe_for_workspace
from reviews.models import GuardProfile
from reviews.provenance.judges import Prices


@dataclass(frozen=True)
class ModelRow:
    """One model of the profile in force."""

    name: str
    options: Mapping[str, str]
    prices: Prices | None


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def judge(request: MemberRequest) -> HttpResponse:
    """The models; what is sent names the one to try, at the expense of the workspace's daily budget."""
    access.require(request.membership, access.Permission.ADMINISTER)
    profile = access.current_profile(request.membership.workspace)
    if request.method != "POST":
        return _page(request, profile)
    model = request.POST.get("model", "")
    # Only what the profile names: the key is the installation's.
    if model not in models_of(profile) or not has_endpoint():
        return _page(request, profile, problem="This model cannot be tried.", status=HTTPStatus.UNPROCESSABLE_ENTITY)
    return _page(request, profile, report=probe_for_workspace(profile, model))


def models_of(profile: GuardProfile) -> list[str]:
    """Every model that the profile has questions asked of, the judge's first."""
    return list(dict.fromkeys([profile.model or settings.GUARD.guard_model, *profile.question_models.values()]))


def has_endpoint() -> bool:
    """Whether the installation has anything to ask."""
    return bool(settings.GUARD.openai_api_key or settings.GUARD.openai_base_url)


def _page(
    request: MemberRequest,
    profile: GuardProfile,
    *,
    report: ProbeReport | None = None,
    problem: str = "",
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    rows = [ModelRow(name, _option_words(name), prices_of(name)) for name in models_of(profile)]
    context = {
        "models": rows,
        "has_endpoint": has_endpoint(),
        "report": report,
        "refused": _refused_options(report) if report else {},
        "problem": problem,
    }
    return render(request, "settings/judge.html", context, status=status)


def _option_words(model: str) -> dict[str, str]:
    """Each option in words, as GUARD_MODEL_OPTIONS sets it or by default."""
    return {_label(name): _word(value) for name, value in asdict(options_of(model)).items()}


def _refused_options(report: ProbeReport) -> dict[str, str]:
    """The options that the endpoint refused, each with what it takes instead."""
    configured, working = asdict(report.configured), asdict(report.working)
    return {_label(name): _word(working[name]) for name, value in configured.items() if working[name] != value}


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "asked for" if value else "not asked for"
    return "the endpoint's default" if value in (None, "") else str(value)
