"""Upstream's own single-turn evaluation, as a program: replies on standard input, verdicts on standard output.

`bfcl_eval.eval_checker.eval_runner` imports its registry of models, with every vendor's SDK, and packages that only
its tables and other languages need. The registry is a stub here with the two kinds of models there are; of the other
packages those that are missing are stubs, and none of them has a part in a verdict on Python calls.

Upstream hands text to `eval`: feed it nothing hostile.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
import tempfile
from types import ModuleType, SimpleNamespace
from unittest.mock import MagicMock

REGISTRY = "bfcl_eval.constants.model_config"
UNINVOLVED = ("numpy", "pandas", "dotenv", "tqdm", "tree_sitter", "tree_sitter_java", "tree_sitter_javascript")
MODELS = {"structured": True, "prompting": False}
"""Whether a model gets the functions as tools, with underscores for dots, by the runner's name for its decoder."""


def stub(name: str, **attributes: object) -> None:
    """Puts a module of that name there; whatever else is asked of it is a mock."""
    module = ModuleType(name)
    vars(module).update(attributes, __getattr__=lambda _: MagicMock())
    sys.modules[name] = module


def prepare() -> None:
    """Makes upstream importable."""
    stub(
        REGISTRY,
        MODEL_CONFIG_MAPPING={name: SimpleNamespace(underscore_to_dot=tools) for name, tools in MODELS.items()},
    )
    for name in UNINVOLVED:
        try:
            importlib.import_module(name)
        except ImportError:
            stub(name)
    try:
        importlib.import_module("overrides")
    except ImportError:
        stub("overrides", final=lambda function: function, override=lambda function: function)


def main() -> None:
    """One JSON line per reply: the line of upstream's score file, or an object that says that it is valid."""
    prepare()
    utils = importlib.import_module("bfcl_eval.utils")
    enums = importlib.import_module("bfcl_eval.constants.enums")
    runner = importlib.import_module("bfcl_eval.eval_checker.eval_runner")
    handler_class = importlib.import_module(
        "bfcl_eval.model_handler.api_inference.openai_completion"
    ).OpenAICompletionsHandler
    entries: dict[str, dict[str, object]] = {}
    answers: dict[str, dict[str, object]] = {}
    for line in sys.stdin:
        model, case_id, result = json.loads(line)
        category = case_id.rpartition("_")[0]
        if category not in entries:
            entries[category] = {entry["id"]: entry for entry in utils.load_dataset_entry(category)}
            known = [] if category == "irrelevance" else utils.load_ground_truth_entry(category)
            answers[category] = {row["id"]: row["ground_truth"] for row in known}
        handler = handler_class.__new__(handler_class)
        handler.is_fc_model = MODELS[model]
        entry = entries[category][case_id]
        if category == "irrelevance":
            verdict = runner._evaluate_single_relevance_entry(handler, case_id, result, entry, model, category)
        else:
            answer = answers[category][case_id]
            verdict = runner._evaluate_single_ast_entry(
                handler,
                case_id,
                result,
                answer,
                entry,
                model,
                category,
                enums.Language.PYTHON,
                enums.ReturnFormat.PYTHON,
            )
        print(json.dumps(verdict, default=str), file=OUTPUT)


if __name__ == "__main__":
    # Upstream prints as it goes, and makes folders where it is told to.
    OUTPUT = sys.stdout
    with contextlib.redirect_stdout(sys.stderr), tempfile.TemporaryDirectory() as folder:
        os.environ["BFCL_PROJECT_ROOT"] = folder
        main()
