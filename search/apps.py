from django.apps import AppConfig


class SearchConfig(AppConfig):
    name = "search"

    def ready(self) -> None:
        from search import checks  # noqa: F401  (Registers them.)
