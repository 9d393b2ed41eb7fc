"""Client of Botledger, an analytics and marketing back end for Telegram bots."""

from . import webhooks
from ._attempts import OnRequest, RequestReport
from ._delivery import QueueFullError
from ._receipt import AsyncReceipt, Receipt
from .async_client import AsyncClient
from .async_queue import AsyncEventQueue
from .client import Client
from .errors import (
    AuthenticationError,
    BotledgerError,
    ConflictError,
    InvalidRequestError,
    NoAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    PermissionDeniedError,
    Problem,
    RateLimitError,
    ServerError,
    UnavailableError,
)
from .queue import Closed, EventQueue, QueueClosedError
from .spool import FolderSpool
from .webhooks import WebhookVerificationError

__all__ = [
    "AsyncClient",
    "AsyncEventQueue",
    "AsyncReceipt",
    "AuthenticationError",
    "BotledgerError",
    "Client",
    "Closed",
    "ConflictError",
    "EventQueue",
    "FolderSpool",
    "InvalidRequestError",
    "NoAnswerError",
    "NotFoundError",
    "OnRequest",
    "OutcomeUnknownError",
    "PermissionDeniedError",
    "Problem",
    "QueueClosedError",
    "QueueFullError",
    "RateLimitError",
    "Receipt",
    "RequestReport",
    "ServerError",
    "UnavailableError",
    "WebhookVerificationError",
    "webhooks",
]
