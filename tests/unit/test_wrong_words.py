"""Wrong words at the command line: each is answered with one sentence and exit code 2, and nothing is written."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from burnqed.cli.main import run_app

DEEP = "[" * 5_000
FILES: dict[str, str | bytes] = {
    "i.json": '[{"name": "t", "statement": "True"}]',
    "twice.json": '[{"name": "t", "statement": "True", "statement": "False"}]',
    "p.json": '[{"name": "t", "statement": "True", "proof": "trivial"}]',
    "deep.json": DEEP,
    "deep.yaml": DEEP,
    "alias.yaml": "search: &a\n  budget: *a\n",
    "empty.json": "",
    "inf.yaml": "sft: {learning_rate: .inf}\n",
    "latin.json": "-- cé".encode("latin-1"),
    "latin.jsonl": "-- cé".encode("latin-1"),
    "latin.lean": "-- cé".encode("latin-1"),
    "latin.yaml": "-- cé".encode("latin-1"),
    "number.yaml": "1: 2\n",
    "same.yaml": "search:\n  budget: 1\nsearch:\n  depth: 2\n",
}
NOWHERE = "--set lean.backend=pantograph --set lean.project=nowhere"
CASES = [
    # names of steps, stages, workflows, tasks
    ("run iteratoin --iter 0", "did you mean 'iteration'?"),
    ("step serch --iter 0", "did you mean 'search'?"),
    ("step nonsense --iter 0", "no step 'nonsense'"),
    ("step sft", "give --iter"),
    ("step embed --iter 0", "give --stage search or --stage final"),
    ("step embed --iter 0 --stage fnial", "has no stage 'fnial'"),
    ("step plan --iter 0 --only serch", "did you mean 'search'?"),
    ("step gate --iter 0 --answer perhaps", "choose one of: yes, no"),
    ("step import-data --source i.json", "needs --name"),
    ("estimate clean", "choose one of: iteration, iterations, experiment"),
    ("estimate iteration --iter 0 --set policy.layers=5 --store nothing", "Nothing is known of how long this takes"),
    ("estimate iteration --iter 0 --like other --store nothing", "no finished iteration of other"),
    ("experiment other --store nothing", "has no finished iteration 0"),
    ("summary --store nothing", "run an iteration first"),
    ("compare a b", "There are no results at a"),
    ("data generate --kind moves --out g.json", "add --deep"),
    ("data generate --held-out --out g.json", "add --deep"),
    ("data generate --deep --apart-from i.json --out g.json", "add --deep --held-out"),
    ("data generate --deep --kind move --out g.json", "did you mean 'moves'?"),
    ("eval --theorems i.json --model m --out s3://bucket/prefix", "--out"),
    ("serve --port 1234", "--model"),
    ("run iterations --iters 3..1", "write FIRST..LAST"),
    ("run iteration --iter 0 --gate maybe", "choose one of: off, auto, ask"),
    # options that a workflow does not take
    ("run smoke --iter 3", "takes no --iter"),
    ("run clean --iter 0 --redo search", "takes no --redo"),
    ("run iteration --iter 0 --name mine", "takes no --name"),
    ("run search --iter 0 --benchmark core", "takes no --benchmark"),
    ("run clean --iter 0 --pairs latin.jsonl", "takes no --pairs and no --proofs"),
    ("run iteration --iter 0 --pairs none.parquet", "none.parquet does not exist"),
    ("run iteration --iter 0 --pairs latin.jsonl", "latin.jsonl, line 1, is not UTF-8"),
    ("run iteration --iter 0 --pairs i.json", "i.json cannot be read as Parquet"),
    ("run iteration --iter 0 --proofs none.jsonl=0", "gives an address no weight between 0 and 1,000"),
    # benchmarks
    ("run evaluate --iter 0 --benchmark i.json", "has no run 'main' yet"),
    ("run iteration --iter 0 --benchmark coer", "no benchmark 'coer' (did you mean 'core'?)"),
    ("run iteration --iter 0 --benchmark a+b.json", "'a+b' cannot name a benchmark; give it a name"),
    ("run iteration --iter 0 --benchmark http://[", "'[' cannot name a benchmark; give it a name"),
    ("run iteration --iter 0 --benchmark mine=nowhere.json", "no theorem index nowhere.json"),
    ("run iteration --iter 0 --benchmark latin.json", "is not UTF-8"),
    # iterations that there are not
    ("run search --iter 5", "run it first, with --iter 4"),
    ("run clean --iter 7", "nothing of iteration 7"),
    ("step clean --whole-run", "nothing of the run 'main'"),
    # places
    ("run iteration --iter 0 --store ''", "is not a store"),
    ("run iteration --iter 0 --store s3://", "is not a store"),
    ("run iteration --iter 0 --store gs://bucket", "s3://"),
    ("store copy nothing other", "nothing to copy"),
    ("data inspect .", "no finished trajectories"),
    ("run iteration --iter 0 --store ~not-anybody/runs", "no such home"),
    ("run iteration --iter 0 --run ../elsewhere", "cannot name a run"),
    ("run import-data --source i.json --name ../../x", "cannot name an import"),
    ("store show nowhere", "no store at nowhere"),
    ("store show . --run ..", "cannot name a run"),
    ("store copy . elsewhere --run a/b", "cannot name a run"),
    ("step import-data --name x --source http://[::1", "cannot be read"),
    *(
        (f"{command} {NOWHERE}", "nowhere holds no project.json")
        for command in (
            "lean check p.json",
            "lean repl",
            "lean repl --backend embedded",
            "run iteration --iter 0 --profile smoke",
            "data import i.json --out o.json",
        )
    ),
    # files
    ("run iteration --iter 0 --theorems absent.json", "absent.json"),
    ("eval --theorems absent.json --model m --budgets 4", "absent.json"),
    ("data inspect absent.json", "absent.json"),
    ("data import absent.json --out o.json", "absent.json"),
    ("data import i.json --out o.json --header absent.lean", "absent.lean"),
    ("data import i.json --out o.json --header latin.lean", "latin.lean is not UTF-8"),
    ("data import i.json --out o.json --set minif2f --set proofnet", "minif2f, proofnet"),
    ("data trace absent.lean --out o.jsonl", "absent.lean"),
    ("run iteration --iter 0 --theorems latin.json", "latin.json is not UTF-8 (byte 5 is 0xe9)"),
    ("lean check latin.json", "is not UTF-8 (byte 5 is 0xe9)"),
    ("lean check latin.lean", "is not UTF-8 (byte 5 is 0xe9)"),
    ("data trace latin.lean --out x.jsonl", "is not UTF-8 (byte 5 is 0xe9)"),
    ("data trace s3://b/p.json --out x.jsonl", "s3://b/p.json cannot be read from there, only Parquet and JSON lines"),
    ("data trace p.json --out x.jsonl --disk 5", "--disk and --most-bad are about repositories; leave them out"),
    ("data trace p.json --out x.jsonl --most-bad 0", "--disk and --most-bad are about repositories; leave them out"),
    ("data inspect latin.jsonl", "is not UTF-8 (byte 5 is 0xe9)"),
    ("lean check -", "There is no file -"),
    ("lean check .", "Is a directory"),
    ("data inspect twice.json", "an object has `statement` twice"),
    ("data inspect deep.json", "deep.json"),
    ("data inspect empty.json", "empty.json is not valid JSON"),
    ("data import i.json --out . --no-elaborate", "Is a directory"),
    ("manifests --out i.json", "cannot be written"),
    ("serve --iter 0 --stage fnial", "did you mean 'final'?"),
    # configuration
    ("doctor --profile nope", "no profile 'nope'"),
    ("config show --profile latin.yaml", "latin.yaml is not UTF-8"),
    ("config show --profile number.yaml", "the key 1 is not a name"),
    ("config show --profile same.yaml", "the key 'search' is given twice"),
    ("config show --profile deep.yaml", "nested too deeply"),
    ("config show --profile alias.yaml", "write the value"),
    ("config show --profile inf.yaml", "'sft.learning_rate'"),
    ("config show --set profile=demo", "give --profile"),
    ("config show --set search.budgt=3", "did you mean 'search.budget'?"),
    ("run iteration --iter 0 --profile smoke --set search.budgt=3", "did you mean 'search.budget'?"),
    ("config show --set sft.learning_rate=.inf", "'sft.learning_rate'"),
    ("lean check p.json --timeout 9 --set lean.check_timeout_s=no", "'lean.check_timeout_s'"),
    ("eval --theorems i.json --model m --budgets -5", "evaluate.budgets"),
    ("config show --set search.seed=-1", "'search.seed'"),
    ("config show --set search.budget=99999999999999999999", "'search.budget'"),
    ("config show --set evaluate.budgets=[99999999999999999999]", "'evaluate.budgets'"),
    ("config show --set '{a: [1, &b 2, *b]}'", "of the form"),
    ("run iteration --iter 0 --max-cost -1", "'cost.max_dollars'"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BURNQED_STORE", raising=False)
    return tmp_path


def burnqed(words: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["burnqed", *words])
    return run_app()


@pytest.mark.parametrize(("line", "hint"), CASES, ids=[line for line, _ in CASES])
def test_a_wrong_word_is_one_sentence_and_leaves_nothing_behind(
    line: str, hint: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    before = sorted(folder.rglob("*"))
    assert burnqed(shlex.split(line), monkeypatch) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert hint in err
    assert len([line for line in err.splitlines() if line.startswith("burnqed: ")]) == 1
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"theorems": []}',
        '{"theorems": [{"name": "a"}]}',
        '[{"name": "a", "statement": "True"}, {"name": "a", "statement": "True"}]',
    ],
)
def test_a_malformed_index_is_refused_before_anything_starts(
    text: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "index.json").write_text(text)
    words = "run iteration --iter 0 --profile smoke --store s --theorems index.json"
    assert burnqed(words.split(), monkeypatch) == 2
    assert "index.json" in capfd.readouterr().err
    assert not (folder / "s").exists()


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("AWS_ENDPOINT_URL", "foo"),
        ("AWS_ENDPOINT_URL", "http://[::1"),
        ("AWS_ENDPOINT_URL", "ftp://x"),
        ("AWS_PROFILE", "not-there"),
        ("AWS_DEFAULT_REGION", "no where"),
        ("AWS_CA_BUNDLE", "not-there.pem"),
    ],
)
def test_what_s3_cannot_be_asked_with_is_one_sentence(
    variable: str, value: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, right in {"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"}.items():  # fmt: skip
        monkeypatch.setenv(name, right)
    monkeypatch.setenv(variable, value)
    assert burnqed(["summary", "--store", "s3://bucket/prefix"], monkeypatch) == 2
    assert "AWS_ENDPOINT_URL" in (said := capfd.readouterr().err)
    assert said.count("\n") == 1


def test_a_working_folder_that_is_gone_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (gone := tmp_path / "gone").mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert burnqed(["doctor"], monkeypatch) == 2
    assert "change to another one" in capfd.readouterr().err


def test_a_model_that_is_neither_a_folder_nor_to_be_had_is_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", offline)
    words = ["step", "import-model", "--source", "nosuchdir", "--name", "mine"]
    assert burnqed(words, monkeypatch) == 2
    assert "neither a folder nor a model that the hub provides (ConnectError)" in capfd.readouterr().err


def offline(*_: object, **__: object) -> None:
    raise type("ConnectError", (Exception,), {})


def test_a_home_that_cannot_be_written_is_one_sentence_where_it_is_needed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("BURNQED_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/dev/null")
    assert burnqed(["config", "show", "--json"], monkeypatch) == 0
    assert json.loads(capfd.readouterr().out)
    assert burnqed(["lean", "check", "p.json"], monkeypatch) == 2
    assert "set BURNQED_CACHE to another folder" in capfd.readouterr().err


def test_manifests_leave_the_files_of_others_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "gone.yaml").write_text("metadata:\n  annotations:\n    burnqed.dev/version: 0.0.1\n")
    assert burnqed(["manifests", "--out", "."], monkeypatch) == 0
    assert (folder / "iteration.yaml").exists()
    assert not (folder / "gone.yaml").exists()
    assert (folder / "deep.yaml").exists()
