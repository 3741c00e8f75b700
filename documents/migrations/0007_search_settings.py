import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("documents", "0006_contextualize_and_embed"),
        ("tenants", "0003_audit_is_append_only"),
    ]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="enable_reranking",
            field=models.BooleanField(
                default=False,
                help_text="Have the best results put in order once more, by the declared reranker.",
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="exact_weight",
            field=models.FloatField(
                default=0.2,
                validators=[
                    django.core.validators.MinValueValidator(0),
                    django.core.validators.MaxValueValidator(1),
                ],
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="fusion",
            field=models.CharField(
                choices=[
                    ("scores", "By what each way scores"),
                    ("rrf", "By the places that each way gives"),
                ],
                default="scores",
                help_text="How the ways of looking are made one ranking.",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="keyword_weight",
            field=models.FloatField(
                default=0.3,
                validators=[
                    django.core.validators.MinValueValidator(0),
                    django.core.validators.MaxValueValidator(1),
                ],
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="min_score",
            field=models.FloatField(
                blank=True,
                help_text="Leave out results below this score, from 0 to 1.",
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(0),
                    django.core.validators.MaxValueValidator(1),
                ],
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="reranker_model",
            field=models.CharField(
                blank=True,
                help_text="The model of the declared reranker. Needed if it is enabled.",
                max_length=200,
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="rrf_k",
            field=models.PositiveSmallIntegerField(
                default=60,
                help_text="The smaller, the more the first places of each way count.",
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(1000),
                ],
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="search_mode",
            field=models.CharField(
                choices=[
                    ("hybrid", "All ways together"),
                    ("semantic", "By meaning"),
                    ("keyword", "By words"),
                    ("exact", "Exactly"),
                ],
                default="hybrid",
                help_text="Unless asked otherwise.",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="semantic_weight",
            field=models.FloatField(
                default=0.5,
                validators=[
                    django.core.validators.MinValueValidator(0),
                    django.core.validators.MaxValueValidator(1),
                ],
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="top_k",
            field=models.PositiveSmallIntegerField(
                default=10,
                help_text="Results of a search, unless asked otherwise.",
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(100),
                ],
            ),
        ),
        migrations.AddConstraint(
            model_name="collection",
            constraint=models.CheckConstraint(
                condition=models.Q(("search_mode__in", ["hybrid", "semantic", "keyword", "exact"])),
                name="search_mode_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="collection",
            constraint=models.CheckConstraint(
                condition=models.Q(("top_k__range", (1, 100))), name="top_k_in_range"
            ),
        ),
        migrations.AddConstraint(
            model_name="collection",
            constraint=models.CheckConstraint(
                condition=models.Q(("min_score", None), ("min_score__range", (0, 1)), _connector="OR"),
                name="min_score_is_a_share",
            ),
        ),
        migrations.AddConstraint(
            model_name="collection",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("exact_weight__range", (0, 1)),
                    ("keyword_weight__range", (0, 1)),
                    ("semantic_weight__range", (0, 1)),
                ),
                name="search_weights_are_shares",
            ),
        ),
        migrations.AddConstraint(
            model_name="collection",
            constraint=models.CheckConstraint(
                condition=models.Q(("fusion__in", ["scores", "rrf"])), name="fusion_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="collection",
            constraint=models.CheckConstraint(
                condition=models.Q(("rrf_k__range", (1, 1000))), name="rrf_k_in_range"
            ),
        ),
        migrations.AddConstraint(
            model_name="collection",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("enable_reranking", False),
                    models.Q(("reranker_model", ""), _negated=True),
                    _connector="OR",
                ),
                name="reranking_names_its_model",
                violation_error_message="Name the model of the reranker, or do not enable it.",
            ),
        ),
    ]
