from django.db import migrations

# Of what tenants.isolation made so far, and of what it makes now, as PostgreSQL writes them.
PLAIN = "(NULLIF(current_setting('pandect.tenant_id'::text, true), ''::text))::uuid"
HIDDEN = f'( SELECT {PLAIN} AS "nullif")'
REPLACE = """
    DO $do$
    DECLARE
        policy record;
    BEGIN
        FOR policy IN
            SELECT polrelid::regclass AS subject,
                replace(pg_get_expr(polqual, polrelid), $${old}$$, $${new}$$) AS condition
            FROM pg_policy
            WHERE polname = 'tenant' AND pg_get_expr(polqual, polrelid) {like} '%SELECT%'
        LOOP
            EXECUTE format(
                'ALTER POLICY tenant ON %1$s USING (%2$s) WITH CHECK (%2$s)', policy.subject, policy.condition
            );
        END LOOP;
    END
    $do$
"""


class Migration(migrations.Migration):
    """Of all tables that there are, whatever application they belong to; those to come are made so."""

    dependencies = [("tenants", "0005_bound_retention")]

    operations = [
        migrations.RunSQL(
            REPLACE.format(old=PLAIN, new=HIDDEN, like="NOT LIKE"),
            REPLACE.format(old=HIDDEN, new=PLAIN, like="LIKE"),
        )
    ]
