"""Whom an item is meant for, and what people say about it."""

import django.db.models.deletion
import reviews.models.base
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('reviews', '0040_table_mappings'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Comment',
            fields=[
                ('id', models.UUIDField(default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('body', models.TextField()),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('review', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='reviews.review')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='reviews.workspace')),
            ],
            options={
                'ordering': ['id'],
                'indexes': [models.Index(fields=['workspace', '-id'], name='comment_latest')],
                'constraints': [models.CheckConstraint(condition=models.Q(('body', ''), _negated=True), name='a_comment_says_something')],
            },
        ),
        migrations.CreateModel(
            name='ReviewAssignment',
            fields=[
                ('review', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='assignment', serialize=False, to='reviews.review')),
                ('role', models.CharField(blank=True, choices=[('reviewer', 'Reviewer'), ('annotator', 'Annotator'), ('admin', 'Admin')], max_length=16)),
                ('assigned_at', models.DateTimeField(auto_now=True)),
                ('assigned_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('assignee', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('assignee__isnull', False), ('role', '')), models.Q(('assignee__isnull', True), ('role__in', ['reviewer', 'annotator', 'admin'])), _connector='OR'), name='an_item_is_meant_for_one_person_or_one_role')],
            },
        ),
    ]
