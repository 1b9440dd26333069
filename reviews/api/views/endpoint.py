"""What every endpoint of the API does before its own work, and how it answers OPTIONS."""

from typing import Any, ClassVar

from django.http import HttpResponse
from pydantic import BaseModel, ConfigDict
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.views import APIView

from reviews.api.authentication import caller
from reviews.api.preferences import preferred_wait
from reviews.api.schemas.query_params import Query, read_query
from reviews.errors import ForbiddenError
from reviews.intake.wire.pydantic_errors import validate_model


class NoFields(BaseModel):
    """The body of a request that says everything by its address and its headers."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Endpoint(APIView):
    """A view of the API. What a client says that nobody would listen to is refused."""

    reads_query: ClassVar[frozenset[str]] = frozenset()
    """The methods that take query parameters, and read them themselves."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """After the key was checked.

        Raises `ForbiddenError`, `InvalidError` for unknown parameters and `BadHeaderError`.
        """
        super().initial(request, *args, **kwargs)
        if request.method not in SAFE_METHODS and caller(request).reads_only:
            raise ForbiddenError("This key only reads. Proposing, running and cancelling take another one.")
        # HEAD is answered by what answers GET.
        method = "GET" if request.method == "HEAD" else request.method
        # A method that does not exist here has no parameters either, and is refused as a method.
        if request.query_params and method not in self.reads_query and hasattr(self, str(method).lower()):
            read_query(Query, request.query_params)
        preferred_wait([request.headers.get("Prefer", "")])

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Which methods there are. The contract itself is the OpenAPI document's."""
        # Django's own response: some endpoints have a renderer that names a media type and renders nothing.
        return HttpResponse(status=204, headers={"Allow": ", ".join(self.allowed_methods)})


def refuse_body(request: Request) -> None:
    """Raises `InvalidError` for a body with fields: whoever sends an `idempotency_key` there relies on it."""
    validate_model(NoFields, request.data)
