"""What the script that sends files says; what stands in braces is filled in there."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

UPLOAD_WORDS = {
    "added": [_("{count} document added"), _("{count} documents added")],
    "replaced": [_("{count} new version added"), _("{count} new versions added")],
    "unchanged": [_("{count} file unchanged"), _("{count} files unchanged")],
    "dated": [_("{count} file applies on other days"), _("{count} files apply on other days")],
    "retried": [_("{count} file tried again"), _("{count} files tried again")],
    "refused": [_("{count} file was not taken"), _("{count} files were not taken")],
    "sent": _("{done} of {total} files sent"),
    "taken": _("Taken"),
    "more": _("and {count} more"),
    "nothing": _("There is no file in what you dropped."),
    "reading": _("Looking into the folders…"),
    "quoting": _("Reading the files to say what they cost: {done} of {total}"),
    "price": _(
        "{total} files: writing contexts for {chunks} chunks costs about ${likely}, at most ${most}. "
        "${left} of this month’s budget are left."
    ),
    "pay": _("Upload for at most ${most}"),
    "stopped": _("Stopped. What was sent is kept."),
    "failed": _("The server did not take it: it answered {status}. Try again."),
    "unreachable": _("The server did not answer. Try again."),
    "too_large": _("It has {size} MB, and {largest} MB is the most."),
    "same_name": _("Another file of this upload has the same name, and that one was taken."),
    "choose": _("Choose at least one file."),
}
