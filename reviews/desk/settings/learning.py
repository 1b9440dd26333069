"""What labels teach of each detector's scores, and the threshold that reaches a stated goal. Administrators only."""

from http import HTTPStatus
from typing import Final, cast, get_args

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from reviews import access
from reviews.desk.desk_form import DeskForm
from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.overview.charts import draw_curves
from reviews.errors import InvalidProfileError, NotFoundError, TooFewLabelsError
from reviews.evaluation.measures.calibration_map import Method
from reviews.evaluation.measures.curves import thin_points
from reviews.lab import learned_settings, suspicion_training
from reviews.lab.learned_settings import LearnedSetting
from reviews.lab.learning import Lesson, learn_from_labels, store_goal
from reviews.models import Check
from reviews.provenance.detectors import DETECTORS

# As with every guard, what slips through must be rare, and none at all would mean to look at everything.
_USUAL_GOAL: Final = 2
# Of a version's number: the column holds no more.
_MAX_FIGURES: Final = 9


class GoalForm(DeskForm):
    """Most wrong calls that may pass, in percent."""

    detector = forms.ChoiceField(choices=[(name, name) for name in DETECTORS], widget=forms.HiddenInput)
    percent = forms.FloatField(
        label="Wrong calls that may pass, in percent", min_value=0, max_value=100, initial=_USUAL_GOAL
    )


class CalibrationForm(DeskForm):
    """How a detector's scores become probabilities; none shows them as they are."""

    detector = forms.ChoiceField(choices=[(name, name) for name in DETECTORS], widget=forms.HiddenInput)
    method = forms.ChoiceField(
        label="Show scores as",
        choices=[
            (Method.ISOTONIC, "probabilities, isotonic"),
            (Method.PLATT, "probabilities, Platt"),
            ("", "they are"),
        ],
        required=False,
        widget=forms.Select(attrs={"class": "select"}),
    )


@require_safe
@member_page
def learning_page(request: MemberRequest) -> HttpResponse:
    """What the labels say of one detector's scores."""
    return _render_page(request, None, request.GET.get("detector", ""))


@require_POST
@member_page
def store_learned_threshold(request: MemberRequest) -> HttpResponse:
    """Put the threshold that reaches the goal in force."""
    access.require(request.membership, access.Permission.ADMINISTER)
    form = GoalForm(request.POST)
    if form.is_valid():
        detector = form.cleaned_data["detector"]
        try:
            point, profile = store_goal(request.membership, detector, form.cleaned_data["percent"] / 100)
        except (InvalidProfileError, TooFewLabelsError) as error:
            form.add_error(None, error.errors[0].message if isinstance(error, InvalidProfileError) else str(error))
        else:
            messages.success(
                request, f"Version {profile.version} passes what {detector} scores {point.threshold:.3f} or more."
            )
            return redirect(f"{reverse('learning')}?detector={detector}")
    return _render_page(request, form, request.POST.get("detector", ""), status=HTTPStatus.UNPROCESSABLE_ENTITY)


@require_POST
@member_page
def store_learned_calibration(request: MemberRequest) -> HttpResponse:
    """Show the detector's scores as probabilities from now on, or as they are again."""
    access.require(request.membership, access.Permission.ADMINISTER)
    form = CalibrationForm(request.POST)
    if form.is_valid():
        detector, method = form.cleaned_data["detector"], form.cleaned_data["method"]
        try:
            if method:
                profile = learned_settings.store_calibration(request.membership, detector, Method(method))
            else:
                profile = learned_settings.remove_calibration(request.membership, detector)
        except (InvalidProfileError, TooFewLabelsError) as error:
            messages.error(request, error.errors[0].message if isinstance(error, InvalidProfileError) else str(error))
        else:
            messages.success(request, f"Version {profile.version} is in force for every new submission.")
    return redirect(f"{reverse('learning')}?detector={request.POST.get('detector', '')}")


@require_POST
@member_page
def put_back_learned(request: MemberRequest) -> HttpResponse:
    """Put in force what an earlier version had learned."""
    access.require(request.membership, access.Permission.ADMINISTER)
    number, setting = request.POST.get("version", ""), request.POST.get("setting", "")
    if not number.isdecimal() or len(number) > _MAX_FIGURES or setting not in get_args(LearnedSetting):
        raise NotFoundError("There is no such version.")
    try:
        profile = learned_settings.put_back(request.membership, cast("LearnedSetting", setting), int(number))
    except InvalidProfileError as error:
        messages.error(request, error.errors[0].message)
    else:
        messages.success(request, f"Version {profile.version} is in force for every new submission.")
    return redirect("learning")


@require_POST
@member_page
def control_suspicion(request: MemberRequest) -> HttpResponse:
    """Learn the model of findings anew, or have it order the queue, or no longer."""
    access.require(request.membership, access.Permission.ADMINISTER)
    wanted = request.POST.get("do", "")
    try:
        if wanted == "learn":
            suspicion_training.request_training(request.membership)
            messages.success(request, "A worker learns from the labels. The page shows the model once it is stored.")
        elif wanted in ("on", "off"):
            profile = suspicion_training.switch_ordering(request.membership, on=wanted == "on")
            messages.success(request, f"Version {profile.version} is in force for every new submission.")
    except InvalidProfileError as error:
        messages.error(request, error.errors[0].message)
    except TooFewLabelsError as error:
        messages.error(request, str(error))
    return redirect("learning")


def _render_page(
    request: MemberRequest, refused: GoalForm | None, chosen: str, *, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    access.require(request.membership, access.Permission.ADMINISTER)
    workspace = request.membership.workspace
    scored = Check.objects.filter(action__workspace=workspace, score__isnull=False).order_by()
    names = [name for name in DETECTORS if name in set(scored.values_list("detector", flat=True).distinct())]
    chosen = chosen if chosen in names else next(iter(names), "")
    lesson, problem = None, ""
    if chosen:
        try:
            lesson = learn_from_labels(workspace, chosen)
        except TooFewLabelsError as error:
            problem = str(error)
    profile = access.current_profile(workspace)
    # Saved as it stands, the form takes nothing out of force.
    in_force = {"detector": chosen, "method": profile.calibrations.get(chosen, {}).get("method", "")}
    context = {
        "form": refused or GoalForm(initial={"detector": chosen, "percent": _USUAL_GOAL}),
        "names": names,
        "chosen": chosen,
        "lesson": lesson,
        "problem": problem,
        "calibration": CalibrationForm(initial=in_force, auto_id="calibration_%s"),
        "in_force": profile.calibrations,
        "suspicion": profile.suspicion,
        "weights": sorted(profile.suspicion.get("weights", {}).items(), key=lambda pair: -abs(pair[1])),
        "orders_queue": profile.orders_queue,
        "models": learned_settings.list_states(request.membership, "suspicion"),
        "states": learned_settings.list_states(request.membership, "calibrations"),
        "chart": lesson and _draw_trade_off(lesson),
    }
    return render(request, "settings/learning.html", context, status=status)


def _draw_trade_off(lesson: Lesson) -> str:
    points = [
        (point.load.share or 0.0, point.missed.share)
        for point in thin_points(lesson.trade_offs)
        if point.missed.share is not None
    ]
    present = [(lesson.present.load.share or 0.0, lesson.present.missed.share or 0.0)]
    return draw_curves(
        {"every threshold": points, "the one in force": present},
        title="Review load and wrong calls passed, at every threshold",
        across="Calls that a person sees",
        upwards="Wrong calls passed",
        is_dotted=True,
    )
