"""What people are told of what waits, and known items that try them."""

import django.db.models.deletion
import reviews.models.base
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('reviews', '0048_action_events'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='workspace',
            name='canary_percent',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='workspace',
            name='notifications_tell_values',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.CreateModel(
            name='NotificationPreference',
            fields=[
                ('id', models.UUIDField(default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('sends_email', models.BooleanField(default=False)),
                ('chat_address', models.TextField(blank=True)),
                ('at_once_from', models.CharField(blank=True, choices=[('low', 'Low'), ('medium', 'Medium'), ('high', 'High')], default='high', max_length=8)),
                ('digest_hours', models.PositiveSmallIntegerField(default=0)),
                ('quiet_from', models.TimeField(null=True)),
                ('quiet_until', models.TimeField(null=True)),
                ('time_zone', models.CharField(default='UTC', max_length=64)),
                ('since', models.DateTimeField()),
                ('busy_until', models.DateTimeField(null=True)),
                ('sent_at', models.DateTimeField(null=True)),
                ('membership', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='notification_preference', to='reviews.membership')),
            ],
        ),
        migrations.CreateModel(
            name='Notification',
            fields=[
                ('id', models.UUIDField(default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('channel', models.CharField(choices=[('email', 'e-mail'), ('chat', 'chat')], max_length=8)),
                ('status', models.CharField(choices=[('pending', 'Pending'), ('delivered', 'Delivered'), ('failed', 'Failed')], default='pending', max_length=16)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('due_at', models.DateTimeField(null=True)),
                ('attempted_at', models.DateTimeField(null=True)),
                ('problem', models.CharField(blank=True, max_length=200)),
                ('review', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='reviews.review')),
                ('preference', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notifications', to='reviews.notificationpreference')),
            ],
        ),
        migrations.CreateModel(
            name='Canary',
            fields=[
                ('id', models.UUIDField(default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('is_aligned', models.BooleanField()),
                ('expires_at', models.DateTimeField()),
                ('outcome', models.CharField(blank=True, choices=[('approve', 'Approve'), ('edit', 'Edit'), ('reject', 'Reject'), ('respond', 'Respond')], max_length=8)),
                ('closed_at', models.DateTimeField(null=True)),
                ('action', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='canaries', to='reviews.action')),
                ('behind', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='reviews.review')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='canaries', to='reviews.workspace')),
            ],
            options={
                'indexes': [models.Index(fields=['workspace', 'user', '-closed_at'], name='canary_of_a_person')],
                'constraints': [models.UniqueConstraint(fields=('action', 'user'), name='a_person_meets_a_canary_once'), models.UniqueConstraint(condition=models.Q(('closed_at__isnull', True)), fields=('workspace', 'user'), name='a_person_has_one_open_canary_in_a_workspace'), models.CheckConstraint(condition=models.Q(('outcome', ''), models.Q(('closed_at__isnull', False), ('outcome__in', ['approve', 'edit', 'reject', 'respond'])), _connector='OR'), name='an_answered_canary_is_closed')],
            },
        ),
        migrations.AddConstraint(
            model_name='notificationpreference',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('quiet_from__isnull', True), ('quiet_until__isnull', True)), models.Q(('quiet_from__isnull', False), ('quiet_until__isnull', False)), _connector='OR'), name='quiet_hours_have_a_beginning_and_an_end'),
        ),
        migrations.AddIndex(
            model_name='notification',
            index=models.Index(condition=models.Q(('status', 'pending')), fields=['due_at'], name='notification_due'),
        ),
        migrations.AddIndex(
            model_name='notification',
            index=models.Index(fields=['created_at'], name='notification_by_age'),
        ),
        migrations.AddConstraint(
            model_name='notification',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('due_at__isnull', False), ('status', 'pending')), models.Q(('status__in', ('delivered', 'failed')), ('due_at__isnull', True)), _connector='OR'), name='a_notification_is_due_exactly_while_it_is_pending'),
        ),
        migrations.AddConstraint(
            model_name='notification',
            constraint=models.UniqueConstraint(fields=('preference', 'review', 'channel'), name='a_person_is_told_of_an_item_once_in_each_way'),
        ),
    ]
