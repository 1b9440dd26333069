"""The OpenAPI document and a page that reads it. Public: they hold nothing but the contract."""

from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.permissions import AllowAny


class SchemaView(SpectacularAPIView):
    """The OpenAPI document, as YAML or JSON by the Accept header."""

    authentication_classes = []
    permission_classes = [AllowAny]


class DocsView(SpectacularSwaggerSplitView):
    """The documentation page. Its script comes from an address of its own: the CSP allows none inside the page."""

    authentication_classes = []
    permission_classes = [AllowAny]
    url_name = "api:schema"
    template_name = "api/docs.html"
