# Not pinned by its digest: none was at hand to check one. docs/operations.md says how to pin it.
FROM python:3.11-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
RUN useradd --system --uid 10001 --home-dir /app --no-create-home guard \
    && install --directory --owner guard /files
WORKDIR /app

COPY requirements-image.lock .
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements-image.lock

COPY manage.py ./
COPY guardapp guardapp
COPY reviews reviews
COPY templates templates
COPY static static
# Compiled here: whatever starts on a disk that it may not write would compile all it imports, every time.
RUN python -m compileall -q guardapp reviews
# The settings want a whole environment; none of these values reaches the running container.
RUN SECRET_KEY=only-while-the-static-files-are-collected DATABASE_URL=postgresql://unused REDIS_URL=redis://unused \
    python manage.py collectstatic --noinput --verbosity 0

USER guard
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["python", "-m", "guardapp.healthcheck"]
CMD ["python", "-m", "guardapp.web", "--host", "0.0.0.0", "--port", "8000"]
