"""Read web pages: the document in them, without the site around it."""

from documents.convert.hypertext.convert import convert_html, parse_page, read_page

__all__ = ["convert_html", "parse_page", "read_page"]
