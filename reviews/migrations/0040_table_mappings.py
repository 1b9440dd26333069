"""What the columns of an imported table hold, and how many items of a campaign have a known answer."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('reviews', '0039_webhooks'),
    ]

    locks_are_short_because = "no agent writes to these tables, and a workspace has few jobs"

    operations = [
        migrations.RemoveConstraint(
            model_name='experiment',
            name='an_experiment_has_a_known_status',
        ),
        migrations.RemoveConstraint(
            model_name='exportjob',
            name='an_export_has_a_known_status',
        ),
        migrations.RemoveConstraint(
            model_name='importjob',
            name='an_import_has_a_known_status',
        ),
        migrations.AddField(
            model_name='campaign',
            name='known_share',
            field=models.FloatField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='importjob',
            name='mapping',
            field=models.JSONField(db_default={}, default=dict),
        ),
        migrations.AlterField(
            model_name='experiment',
            name='status',
            field=models.CharField(choices=[('draft', 'Draft'), ('queued', 'Queued'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=16),
        ),
        migrations.AlterField(
            model_name='exportjob',
            name='status',
            field=models.CharField(choices=[('draft', 'Draft'), ('queued', 'Queued'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=16),
        ),
        migrations.AlterField(
            model_name='importjob',
            name='status',
            field=models.CharField(choices=[('draft', 'Draft'), ('queued', 'Queued'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=16),
        ),
        migrations.AddConstraint(
            model_name='experiment',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['draft', 'queued', 'running', 'done', 'failed', 'cancelled'])), name='an_experiment_has_a_known_status'),
        ),
        migrations.AddConstraint(
            model_name='exportjob',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['draft', 'queued', 'running', 'done', 'failed', 'cancelled'])), name='an_export_has_a_known_status'),
        ),
        migrations.AddConstraint(
            model_name='importjob',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['draft', 'queued', 'running', 'done', 'failed', 'cancelled'])), name='an_import_has_a_known_status'),
        ),
    ]
