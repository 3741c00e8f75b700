# One image for web, worker, beat and commands. See docs/deployment.md.
FROM python:3.11-slim-bookworm AS packages
COPY requirements/base.txt /tmp/base.txt
RUN python -m venv /venv \
 && /venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes --no-deps \
    --only-binary :all: -r /tmp/base.txt

FROM python:3.11-slim-bookworm
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PANDECT_HOME=/var/lib/pandect
RUN useradd --system --home-dir /var/lib/pandect --create-home --shell /usr/sbin/nologin pandect
COPY --from=packages /venv /venv
WORKDIR /app
COPY manage.py ./
COPY config config
COPY tenants tenants
COPY documents documents
COPY definitions definitions
COPY search search
COPY templates templates
COPY static static
COPY locale locale
# The key is for this one command; production demands one of its own.
RUN PANDECT_SECRET_KEY=build-only python manage.py collectstatic --no-input --verbosity 0 \
 && chown -R pandect: /var/lib/pandect
USER pandect
ENV PANDECT_ENV=production
EXPOSE 8000
CMD ["uvicorn", "config.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--lifespan", "on", "--no-access-log", "--timeout-worker-healthcheck", "30"]
