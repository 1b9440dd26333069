"""Uploads within their bound: nowhere else than where collections are uploaded, and by nobody who is not signed in."""

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import StopUpload, TemporaryFileUploadHandler
from django.http import HttpRequest

PATH = "/datasets"
"""Where files are taken."""


class BoundedUploadHandler(TemporaryFileUploadHandler):
    """Files go to the disk as they come. A view would come too late: the form's CSRF token stands in the same body."""

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self._received = 0

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Raises `StopUpload` where no file is expected."""
        request = self.request
        user = getattr(request, "user", None)
        if request is None or not request.path.startswith(PATH) or user is None or not user.is_authenticated:
            raise StopUpload(connection_reset=True)
        super().new_file(*args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Raises `RequestDataTooBig`, which Django answers with 400."""
        # Counted and not believed: a body need not announce its length.
        self._received += len(raw_data)
        if self._received > settings.GUARD.max_upload_megabytes * 1024 * 1024:
            # Django does so by itself only for its own way to stop, which has no answer of its own.
            self.upload_interrupted()
            raise RequestDataTooBig(f"At most {settings.GUARD.max_upload_megabytes} megabytes can be uploaded.")
        super().receive_data_chunk(raw_data, start)
