"""bfcl-eval's own evaluation of multi-turn result files, as a program.

What `bfcl evaluate` does with a model's files, less its table of models, whose import brings every vendor's SDK
along: a stub stands there with the one model that the files are of, read by upstream's OpenAI handler. No leaderboard
is written either.

Upstream hands what the files hold to `eval`: feed it nothing hostile.

    python benchmarks/upstream_evaluate.py RESULTS SCORES
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
from pathlib import Path
from types import ModuleType, SimpleNamespace

MODEL = "oracle"
"""A name for upstream, which makes Python names of it; it need not be the one that the files were made under."""

MODEL_TABLE = "bfcl_eval.constants.model_config"


def stub_model_table() -> None:
    """Puts a table of one model in the place of upstream's, and its handler into it."""
    table = ModuleType(MODEL_TABLE)
    sys.modules[MODEL_TABLE] = table
    handlers = importlib.import_module("bfcl_eval.model_handler.api_inference.openai_completion")
    config = SimpleNamespace(model_handler=handlers.OpenAICompletionsHandler, model_name=MODEL, is_fc_model=True)
    vars(table)["MODEL_CONFIG_MAPPING"] = {MODEL: config}


def main() -> None:
    """Writes a score file for each result file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="a folder with result files of one model")
    parser.add_argument("scores", type=Path)
    arguments = parser.parse_args()
    # Upstream makes folders where it is told to.
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"BFCL_PROJECT_ROOT": folder, "OPENAI_API_KEY": "none"}
        stub_model_table()
        runner = importlib.import_module("bfcl_eval.eval_checker.eval_runner")
        table: dict[str, object] = {}
        for file in arguments.results.rglob(runner.RESULT_FILE_PATTERN):
            category = runner.extract_test_category(file)
            rows = runner.load_file(file, sort_by_id=True)
            handler = runner.get_handler(MODEL)
            runner.evaluate_task(category, arguments.results, arguments.scores, rows, MODEL, handler, table)


if __name__ == "__main__":
    main()
