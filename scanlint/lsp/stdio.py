"""`scanlint lsp`: the language server on standard input and output."""

from __future__ import annotations

import sys

from scanlint.errors import UsageError


def serve() -> None:
    """Serve until the client says `exit` or hangs up. Raises UsageError where pygls is not installed."""
    try:
        import pygls.lsp.server  # noqa: F401
    except ImportError as error:
        raise UsageError(f"the language server needs pygls 2: pip install 'scanlint[lsp]' ({error})") from None
    if sys.stdin is None or sys.stdout is None:
        raise UsageError("the language server needs standard input and output, of which one is closed")
    from scanlint.lsp import action_handlers, text_handlers
    from scanlint.lsp.language_server import ScanlintServer

    server = ScanlintServer()
    text_handlers.register(server)
    action_handlers.register(server)
    server.start_io()
