"""The errors of calls. The class says why a call did not succeed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from typing_extensions import NotRequired, TypedDict, TypeGuard


class Problem(TypedDict):
    """A problem with one value of a request."""

    path: str
    """Where the value is, such as `3.user_id`"""
    message: str
    allowed: NotRequired[list[str]]
    """The values that are accepted, where there is a list"""


class BotledgerError(Exception):
    """A call that did not succeed."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        details: Sequence[Problem] = (),
        retry_after_s: float | None = None,
        is_from_service: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        """The HTTP status; None without an answer."""
        self.details = list(details)
        """Every value that the service refused, with its place. Empty for other errors."""
        self.retry_after_s = retry_after_s
        """How long the service asks to wait, in seconds."""
        self.is_from_service = is_from_service
        """Whether the answer has the form of the service's errors. False: no answer, or one of a proxy or a gateway."""
        self.idempotency_key: str | None = None
        """The call's key: the same call with it, within 24 hours, is carried out once."""
        self.request_id: str | None = None
        """The `X-Request-Id` of the call. The log of the service has it."""


class NoAnswerError(BotledgerError):
    """No answer came, so the call may have been carried out."""


class InvalidRequestError(BotledgerError):
    """400, 413, 415, 422: the request is wrong; `details` say where."""


class AuthenticationError(BotledgerError):
    """401"""


class PermissionDeniedError(BotledgerError):
    """403"""


class NotFoundError(BotledgerError):
    """404"""


class ConflictError(BotledgerError):
    """409: the state of what is named forbids the call, or a call with the same key is in progress."""


class RateLimitError(BotledgerError):
    """429"""


class UnavailableError(BotledgerError):
    """503: certainly not carried out."""


class OutcomeUnknownError(BotledgerError):
    """500: the service does not know whether the call was carried out. Repeat it with the same key."""


class ServerError(BotledgerError):
    """Any other answer that is no success, or a success that is cut or not in the form of the service."""


_CLASSES: dict[int, type[BotledgerError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: InvalidRequestError,
    429: RateLimitError,
    503: UnavailableError,
}

# How the text of the answer begins (docs/decisions.md#outcome-unknown).
_UNKNOWN = "outcome unknown"


def error_of(status: int, body: Any, location: str | None, retry_after_s: float | None) -> BotledgerError:
    """The error of an answer that is no success. A proxy or a gateway may have made it, so its body may have any shape.

    body: the parsed body, or None if it is no JSON. location: where a redirect leads.
    """
    given = body if isinstance(body, dict) else {}
    error = given.get("error")
    fields = _field_problems(error)
    if isinstance(error, str):
        message = error
    elif fields:
        message = f"{fields[0]['message']} (at {fields[0]['path']})"
    else:
        message = f"the service answered {status}{_reason_of(status, given, location)}"
    is_unknown = status == 500 and message.startswith(_UNKNOWN)
    error_class = OutcomeUnknownError if is_unknown else _CLASSES.get(status, ServerError)
    return error_class(
        message,
        status=status,
        details=fields or _problems(given.get("details")),
        retry_after_s=retry_after_s,
        is_from_service=given.get("ok") is False and given.get("error_code") == status,
    )


def _reason_of(status: int, given: dict[str, Any], location: str | None) -> str:
    if location is not None and status < 400:
        return f", a redirect to {location}: check base_url"
    error = given.get("error")
    texts = [error.get("message") if isinstance(error, dict) else None, given.get("message")]
    return next((f": {text}" for text in texts if isinstance(text, str)), "")


def _problems(details: Any) -> list[Problem]:
    listed = details if isinstance(details, list) else []
    return [each for each in listed if _is_problem(each)]


def _is_problem(value: Any) -> TypeGuard[Problem]:
    return isinstance(value, dict) and isinstance(value.get("path"), str) and isinstance(value.get("message"), str)


def _field_problems(error: Any) -> list[Problem]:
    """send-target's form of an error: names of fields with messages (docs/decisions.md#send-target-errors)."""
    if not isinstance(error, dict) or not all(isinstance(texts, list) for texts in error.values()):
        return []
    problems: list[Problem] = [{"path": path, "message": text} for path, texts in error.items() for text in texts]
    return problems if all(_is_problem(problem) for problem in problems) else []
