"""What a run is configured with, as its manifest tells it: everything that decides what comes out, and no secret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from t2c.cli.actions.context import Context
from t2c.ledger.kernel.canon import MAX_INT

__all__ = ["configuration_of"]


def configuration_of(context: Context, modes: Mapping[str, str], communication: bool) -> dict[str, Any]:
    """What the run was configured with, under the contract's names; no key and no password is a part of it."""
    llm, scan = context.settings.llm, context.settings.scan
    off = llm.mode == "off"
    return {
        "nlMode": "deterministic" if off else llm.natural_language,
        "markdownMode": "deterministic" if off else llm.markdown,
        "communicationMode": "deterministic" if off else llm.communication,
        "gitCommitCount": min(scan.commits, MAX_INT),
        "maxFileBytes": min(scan.max_file_bytes, MAX_INT),
        "markdownConcurrency": llm.concurrency,
        "documentConcurrency": llm.concurrency,
        "documentChunkChars": None,
        "documentMaxChunks": llm.document_chunks,
        "documentRecordsPerChunk": None,
        "documentTimeoutMs": llm.timeout_ms,
        "summaryLlm": modes["summary"] != "deterministic",
        "taskSynthesisMode": modes["tasks"],
        "includeCommunication": communication,
        "projectDirectory": scan.communication,
        "communicationTicket": None,
        "documentPatterns": [],
        "documentExcludes": list(scan.exclude),
        "adapters": {
            **{
                name: {"enabled": True, "executable": None}
                for name in ("python", "go", "java", "rust", "php")
            },
            "tensorflow": {"enabled": False, "modelPath": None, "modulePath": None, "labels": []},
        },
        "llm": {
            "configured": not off and context.settings.api_key is not None,
            "baseUrl": llm.base_url,
            **{
                f"{ours}Model": getattr(llm, f"{theirs}_model") or llm.model
                for ours, theirs in (
                    ("nl", "natural_language"),
                    ("markdown", "markdown"),
                    ("communication", "communication"),
                    ("document", "document"),
                    ("summary", "summary"),
                    ("task", "task"),
                )
            },
            "timeoutMs": llm.timeout_ms,
            "maxTokens": llm.max_tokens,
            "temperature": llm.temperature,
            "requireStructuredOutput": llm.require_parameters,
            "responseHealing": False,
        },
    }
