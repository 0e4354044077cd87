"""bfcl-eval's own generation, as a program: its OpenAI handler, its loop, its writer, over multi-turn categories.

What `bfcl generate` does, less what it takes before: `_llm_response_generation` imports every vendor's SDK, here the
OpenAI handler is imported alone, and no progress bar is drawn. The last line of each category is announced on
standard error.

    python benchmarks/upstream_generate.py RESULTS --threads 8 --server base=http://127.0.0.1:8000/v1
"""

from __future__ import annotations

import argparse
import importlib
import os
import queue
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

MODEL = "oracle"
REGISTRY_NAME = "oracle-FC"


def generate(category: str, base_url: str, results: Path, threads: int, *, state_log: bool) -> None:
    """Writes the result file of a category."""
    utils = importlib.import_module("bfcl_eval.utils")
    handlers = importlib.import_module("bfcl_eval.model_handler.api_inference.openai_completion")
    os.environ["OPENAI_BASE_URL"] = base_url
    handler = handlers.OpenAICompletionsHandler(MODEL, 0.0, REGISTRY_NAME, is_fc_model=True)
    entries = sorted(utils.load_dataset_entry(f"multi_turn_{category}"), key=utils.sort_key)
    finished: queue.Queue[dict[str, Any] | None] = queue.Queue()

    def write() -> None:
        while (row := finished.get()) is not None:
            handler.write(row, result_dir=results, update_mode=False)

    def converse(entry: dict[str, Any]) -> None:
        result, metadata = handler.inference(entry, include_input_log=False, exclude_state_log=not state_log)
        finished.put({"id": entry["id"], "result": result, **metadata})

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(converse, entries))
    finished.put(None)
    writer.join()
    print(f"{category}: {len(entries)} cases done", file=sys.stderr, flush=True)
    for file in results.rglob(f"*_{category}_result.json"):
        utils.sort_file_content_by_id(file)


def main() -> None:
    """Generates category after category."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--threads", type=int, default=1, help="conversations in flight")
    parser.add_argument("--server", action="append", required=True, help="CATEGORY=URL; can be given again")
    parser.add_argument("--no-state-log", action="store_true", help="as upstream's --exclude-state-log")
    arguments = parser.parse_args()
    # Upstream makes folders where it is told to.
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"BFCL_PROJECT_ROOT": folder, "OPENAI_API_KEY": "none"}
        for server in arguments.server:
            category, _, base_url = server.partition("=")
            generate(category, base_url, arguments.results, arguments.threads, state_log=not arguments.no_state_log)


if __name__ == "__main__":
    main()
