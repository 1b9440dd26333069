"""The desk's pages."""

from django.urls import include, path

from reviews.desk import home, styleguide, user_confirmation
from reviews.desk.actions import recent, saved
from reviews.desk.actions import views as actions
from reviews.desk.annotate import annotator_views as annotate
from reviews.desk.annotate import manager_views
from reviews.desk.datasets import comparison, item_pages, mapping_page
from reviews.desk.datasets import views as datasets
from reviews.desk.experiments import result_pages
from reviews.desk.experiments import views as experiments
from reviews.desk.groups import views as groups
from reviews.desk.overview import own
from reviews.desk.overview import views as overview
from reviews.desk.queue import live
from reviews.desk.queue import views as queue
from reviews.desk.review import comments, handovers
from reviews.desk.review import views as review
from reviews.desk.settings import audit_log, judge, learning, members, notifications, reviewing, rules, tools, webhooks
from reviews.desk.settings import views as settings
from reviews.desk.settings.guard_profile import views as profile
from reviews.desk.workspace_switch import switch

urlpatterns = [
    # What is asked for all day stands first: an address is looked for from the top.
    path("queue", queue.queue, name="queue"),
    path("reviews/<uuid:review_id>", review.review_page, name="review"),
    path("reviews/<uuid:review_id>/decide", review.decide_review, name="decide"),
    path("reviews/<uuid:review_id>/claim", review.claim_review, name="claim"),
    path("", home.home, name="home"),
    path("", include("reviews.desk.accounts.urls")),
    path("workspace", switch, name="workspace"),
    path("queue/recent", recent.recent_decisions, name="recent"),
    path("queue/events", live.events, name="queue-events"),
    path("queue/groups", groups.group_list, name="groups"),
    path("queue/groups/<slug:key>", groups.group_page, name="group"),
    path("reviews/<uuid:review_id>/group", groups.open_group, name="review-group"),
    path("queue/groups/<slug:key>/decide", groups.decide_group, name="group-decide"),
    path("queue/groups/<slug:key>/order", groups.give_order, name="order-give"),
    path("queue/orders/<uuid:order_id>/end", groups.end_order, name="order-end"),
    path("overview", overview.overview, name="overview"),
    path("overview/own", own.own_decisions, name="own-decisions"),
    path("views", saved.save_view, name="view-save"),
    path("views/<uuid:view_id>/remove", saved.remove_view, name="view-remove"),
    path("actions", actions.action_list, name="actions"),
    path("actions/<uuid:action_id>", actions.action_page, name="action"),
    path("actions/<uuid:action_id>/source", actions.unfold_source, name="action-source"),
    path("actions/<uuid:action_id>/provenance", actions.download_provenance, name="action-provenance"),
    path("actions/<uuid:action_id>/judge", actions.judge_action, name="judge"),
    path("audit", actions.audit_queue, name="audit"),
    path("traces/<uuid:trace_id>", actions.trace_page, name="trace"),
    path("agents/<uuid:agent_id>", actions.agent_page, name="agent"),
    path("reviews/<uuid:review_id>/approve", review.approve_page, name="approve"),
    path("decisions/<uuid:decision_id>/undo", review.undo_decision, name="undo"),
    path("reviews/<uuid:review_id>/preview-edit", review.preview_edit, name="preview-edit"),
    path("reviews/<uuid:review_id>/ask-user", review.ask_user, name="ask-user"),
    path("reviews/<uuid:review_id>/release", review.release_review, name="release"),
    path("reviews/<uuid:review_id>/snooze", review.snooze_review, name="snooze"),
    path("reviews/<uuid:review_id>/escalate", handovers.escalate_review, name="escalate"),
    path("reviews/<uuid:review_id>/assign", handovers.assign_review, name="assign"),
    path("reviews/<uuid:review_id>/take-over", handovers.take_over_review, name="take-over"),
    path("reviews/<uuid:review_id>/comments", comments.comment_list, name="comments"),
    path("reviews/<uuid:review_id>/comment", comments.add_comment, name="comment"),
    path("reviews/<uuid:review_id>/source", review.unfold_source, name="source"),
    path("reviews/<uuid:review_id>/provenance", review.download_provenance, name="provenance"),
    path("campaigns", annotate.campaign_list, name="campaigns"),
    path("campaigns/new", manager_views.new_campaign, name="campaign-new"),
    path("campaigns/<uuid:campaign_id>", manager_views.campaign_page, name="campaign"),
    path("campaigns/<uuid:campaign_id>/move", manager_views.change_state, name="campaign-move"),
    path("campaigns/<uuid:campaign_id>/reserve", manager_views.reserve_items, name="campaign-reserve"),
    path("campaigns/<uuid:campaign_id>/release", manager_views.release_items, name="campaign-release"),
    path("campaigns/<uuid:campaign_id>/extend", manager_views.extend_campaign, name="campaign-extend"),
    path("campaigns/<uuid:campaign_id>/adjudicate/<uuid:item_id>", manager_views.adjudicate_item, name="adjudicate"),
    path(
        "campaigns/<uuid:campaign_id>/adjudicate/<uuid:item_id>/source",
        manager_views.unfold_source,
        name="adjudicate-source",
    ),
    path("campaigns/<uuid:campaign_id>/work", annotate.open_next_item, name="work"),
    path("campaigns/<uuid:campaign_id>/undo", annotate.undo_latest, name="annotate-undo"),
    path("campaigns/<uuid:campaign_id>/mine", annotate.own_answers, name="annotate-own"),
    path("campaigns/<uuid:campaign_id>/items/<uuid:item_id>/find", annotate.find_words, name="annotate-find"),
    path("campaigns/<uuid:campaign_id>/items/<uuid:item_id>", annotate.item_page, name="annotate"),
    path("campaigns/<uuid:campaign_id>/items/<uuid:item_id>/draft", annotate.save_draft, name="annotate-draft"),
    path("campaigns/<uuid:campaign_id>/items/<uuid:item_id>/skip", annotate.skip_item, name="annotate-skip"),
    path("campaigns/<uuid:campaign_id>/items/<uuid:item_id>/source", annotate.unfold_source, name="annotate-source"),
    path("experiments", experiments.experiment_list, name="experiments"),
    path("experiments/begin", experiments.begin_experiment, name="experiment-begin"),
    path("experiments/compare", result_pages.compare_experiments, name="experiments-compare"),
    path("experiments/<uuid:experiment_id>", experiments.experiment_page, name="experiment"),
    path("experiments/<uuid:experiment_id>/cases/<int:ordinal>", result_pages.case_page, name="experiment-case"),
    path(
        "experiments/<uuid:experiment_id>/results/<slug:form>", result_pages.download_results, name="experiment-results"
    ),
    path("experiments/<uuid:experiment_id>/control", experiments.control_experiment, name="experiment-control"),
    path("datasets", datasets.dataset_list, name="datasets"),
    path("datasets/import", datasets.upload_file, name="dataset-upload"),
    path("datasets/imports/<uuid:import_id>/mapping", mapping_page.mapping_page, name="dataset-mapping"),
    path("datasets/new", datasets.create_dataset, name="dataset-new"),
    path("datasets/<uuid:dataset_id>/items", item_pages.item_list, name="dataset-items"),
    path("datasets/<uuid:dataset_id>/items/<uuid:item_id>", item_pages.item_page, name="dataset-item"),
    path(
        "datasets/<uuid:dataset_id>/items/<uuid:item_id>/source",
        item_pages.unfold_item_source,
        name="dataset-item-source",
    ),
    path("datasets/<uuid:dataset_id>/distributions", item_pages.distributions_page, name="dataset-distributions"),
    path("datasets/<uuid:dataset_id>/versions/<int:number>/entries", item_pages.entry_list, name="dataset-entries"),
    path(
        "datasets/<uuid:dataset_id>/versions/<int:number>/comparison",
        comparison.comparison_page,
        name="dataset-comparison",
    ),
    path("datasets/exports/<uuid:export_id>", datasets.download_export, name="dataset-download"),
    path("datasets/<uuid:dataset_id>", datasets.dataset_page, name="dataset"),
    path("datasets/<uuid:dataset_id>/jobs", datasets.list_import_jobs, name="dataset-jobs"),
    path("datasets/<uuid:dataset_id>/freeze", datasets.freeze_version, name="dataset-freeze"),
    path("datasets/<uuid:dataset_id>/versions/<int:number>", datasets.version_page, name="dataset-version"),
    path(
        "datasets/<uuid:dataset_id>/versions/<int:number>/verification",
        datasets.verify_version,
        name="dataset-verification",
    ),
    path(
        "datasets/<uuid:dataset_id>/versions/<int:number>/preview", datasets.preview_redaction, name="dataset-preview"
    ),
    path("datasets/<uuid:dataset_id>/versions/<int:number>/export", datasets.export_version, name="dataset-export"),
    path("datasets/<uuid:dataset_id>/versions/<int:number>/files", datasets.list_exports, name="dataset-export-jobs"),
    path("confirm/<str:token>", user_confirmation.confirm_page, name="confirm"),
    path("notifications", notifications.notification_page, name="notifications"),
    path("settings", settings.overview, name="settings"),
    path("settings/keys", settings.issue_key, name="settings-keys"),
    path("settings/keys/<uuid:key_id>/revoke", settings.revoke_key, name="settings-revoke"),
    path("settings/keys/issued-by/<int:issuer_id>/revoke", settings.revoke_issued_keys, name="settings-revoke-issued"),
    path("settings/members", members.overview, name="members"),
    path("settings/members/invite", members.invite, name="members-invite"),
    path("settings/members/annotating", members.reviewers_annotate, name="members-annotating"),
    path("settings/members/second-factor", members.second_factor, name="members-second-factor"),
    path("settings/members/<uuid:member_id>/role", members.change_role, name="members-role"),
    path("settings/members/<uuid:member_id>/remove", members.remove, name="members-remove"),
    path("settings/invitations/<uuid:invitation_id>/withdraw", members.withdraw, name="members-withdraw"),
    path("settings/reviewing", reviewing.reviewing_page, name="reviewing"),
    path("settings/judge", judge.judge, name="settings-judge"),
    path("settings/rules", rules.record, name="rules"),
    path("settings/rules/precision", rules.change_precision, name="rules-precision"),
    path("settings/rules/switch-on", rules.switch_on, name="rules-switch-on"),
    path("settings/learning", learning.learning_page, name="learning"),
    path("settings/learning/threshold", learning.store_learned_threshold, name="learning-threshold"),
    path("settings/learning/calibration", learning.store_learned_calibration, name="learning-calibration"),
    path("settings/learning/model", learning.control_suspicion, name="learning-model"),
    path("settings/learning/put-back", learning.put_back_learned, name="learning-put-back"),
    path("settings/tools", tools.catalogue, name="tools"),
    path("settings/webhooks", webhooks.webhook_list, name="webhooks"),
    path("settings/webhooks/add", webhooks.add_webhook, name="webhook-add"),
    path("settings/webhooks/<uuid:endpoint_id>", webhooks.webhook_page, name="webhook"),
    path("settings/webhooks/<uuid:endpoint_id>/control", webhooks.control_webhook, name="webhook-control"),
    path(
        "settings/webhooks/<uuid:endpoint_id>/deliveries/<uuid:delivery_id>/resend",
        webhooks.resend_webhook,
        name="webhook-resend",
    ),
    path("settings/audit", audit_log.log, name="audit-log"),
    path("settings/audit/verify", audit_log.verify, name="audit-verify"),
    path("settings/audit/export.jsonl", audit_log.export, {"form": "jsonl"}, name="audit-export"),
    path("settings/audit/export.csv", audit_log.export, {"form": "csv"}, name="audit-export-csv"),
    path("settings/profile", profile.profile, name="settings-profile"),
    path("settings/profile/preview", profile.preview, name="settings-preview"),
    path("settings/profile/versions/<int:number>", profile.version, name="settings-version"),
    path("styleguide", styleguide.styleguide, name="styleguide"),
]
