"""How often a call may be tried again, and two choices of published methods."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('reviews', '0028_timed_orders'),
    ]

    operations = [
        migrations.AddField(
            model_name='guardprofile',
            name='aggregate',
            field=models.CharField(choices=[('product', 'Their product'), ('min', 'The least'), ('max', 'The greatest'), ('mean', 'Their mean')], db_default='product', default='product', max_length=16),
        ),
        migrations.AddField(
            model_name='guardprofile',
            name='reconstruct_subtasks',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='guardprofile',
            name='retry_rounds',
            field=models.PositiveSmallIntegerField(db_default=3, default=3),
        ),
        migrations.AddConstraint(
            model_name='guardprofile',
            constraint=models.CheckConstraint(condition=models.Q(('aggregate__in', ['product', 'min', 'max', 'mean'])), name='a_profile_names_a_known_aggregate'),
        ),
    ]
