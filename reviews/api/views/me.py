"""What a key is, and what it may do: the first thing that is asked with a new one."""

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from reviews import access
from reviews.api.authentication import caller
from reviews.api.responses import answer, documented, refused
from reviews.api.schemas import answers
from reviews.api.views.endpoint import Endpoint


class MeView(Endpoint):
    """The key that signs the request."""

    @extend_schema(
        operation_id="me",
        summary="Read what your key is",
        responses={**documented(ok_200=(answers.Me, "The key, its agent, and its budgets.")), **refused()},
    )
    def get(self, request: Request) -> HttpResponse:
        """Whose key this is and what it may do. Nothing is counted against its budgets."""
        key = caller(request)
        guard = settings.GUARD
        return answer(
            answers.Me(
                agent=key.agent.name,
                workspace=key.workspace.name,
                key=key.name,
                is_test=key.is_test,
                reads_only=key.reads_only,
                reads_all_labels=key.reads_all_labels,
                reads_all_events=key.reads_all_events,
                manages_ground_truth=key.manages_ground_truth,
                profile_version=access.current_profile(key.workspace).version,
                max_wait_seconds=guard.max_wait_seconds,
                submissions_per_minute=guard.submissions_per_key,
                kilobytes_per_minute=guard.kilobytes_per_key,
            )
        )
