"""The place in the caller's trace at which it asks: W3C Trace Context, where OpenTelemetry is in use."""

from __future__ import annotations

import sys
from typing import Dict

from .exchange import log


def trace_headers() -> Dict[str, str]:
    """The header that says so; none without a span. Nothing is imported: whoever has a span has imported the API."""
    api = sys.modules.get("opentelemetry.trace")
    if api is None:
        return {}
    try:
        span = api.get_current_span().get_span_context()
        if not span.is_valid:
            return {}
        return {"traceparent": f"00-{span.trace_id:032x}-{span.span_id:016x}-{span.trace_flags & 3:02x}"}
    except Exception as error:
        # That a trace cannot be followed is no reason not to ask people.
        log.debug("the trace is not passed on: %r", error)
        return {}
