"""The desk's pages."""

from django.urls import path
from django.views.generic import RedirectView

from reviews.desk import styleguide
from reviews.desk.queue import views
from reviews.desk.review import views
from reviews.desk.settings import views
from reviews.desk.settings.profile import views as profile_page
from reviews.desk.sign_in import LogoutView, SignInView

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="queue"), name="home"),
    path("sign-in", SignInView.as_view(), name="sign-in"),
    path("sign-out", LogoutView.as_view(), name="sign-out"),
    path("queue", views.queue, name="queue"),
    path("queue/recent", views.recent, name="recent"),
    path("reviews/<uuid:review_id>", views.review_page, name="review"),
    path("reviews/<uuid:review_id>/decide", views.decide, name="decide"),
    path("reviews/<uuid:review_id>/preview-edit", views.preview_edit, name="preview-edit"),
    path("reviews/<uuid:review_id>/claim", views.claim, name="claim"),
    path("reviews/<uuid:review_id>/release", views.release, name="release"),
    path("reviews/<uuid:review_id>/snooze", views.snooze, name="snooze"),
    path("reviews/<uuid:review_id>/escalate", views.escalate, name="escalate"),
    path("reviews/<uuid:review_id>/source", views.source, name="source"),
    path("reviews/<uuid:review_id>/provenance", views.provenance, name="provenance"),
    path("settings", views.overview, name="settings"),
    path("settings/keys", views.issue_key, name="settings-keys"),
    path("settings/keys/<uuid:key_id>/revoke", views.revoke_key, name="settings-revoke"),
    path("settings/profile", profile_page.profile, name="settings-profile"),
    path("settings/profile/preview", profile_page.preview, name="settings-preview"),
    path("settings/profile/versions/<int:number>", profile_page.version, name="settings-version"),
    path("styleguide", styleguide.styleguide, name="styleguide"),
]
