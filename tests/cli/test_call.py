"""`call`: the result as JSON, an error answer as one line, and every way in which a server can fail to be one."""

import json

import pytest

from cli.running import run
from cli.servers import python_server
from turnwire.cli.exits import Exit


@pytest.mark.parametrize(
    ("argv", "pick", "wanted"),
    [
        (["ping"], lambda result: result, {}),
        (["initialize"], lambda result: result["serverInfo"]["name"], "turnwire"),
        (
            ["thread/start", '{"title": "Fix the login test"}'],
            lambda result: result["thread"]["title"],
            "Fix the login test",
        ),
        (["model/list", "{}"], lambda result: result["data"], []),
    ],
)
@pytest.mark.parametrize("form", ["text", "json"])
def test_result_is_json(argv, pick, wanted, form):
    done = run("call", *argv, "--format", form)

    assert (done.code, pick(json.loads(done.out))) == (Exit.DONE, wanted)
    assert (done.out.count("\n") == 1) is (form == "json" or wanted == {})


@pytest.mark.parametrize("given", ["-", "@params.json"])
def test_params_come_from_a_file_with_any_line_ends(tmp_path, monkeypatch, given):
    monkeypatch.chdir(tmp_path)
    text = b'{\r\n  "title":\n "x"\n}\n'
    (tmp_path / "params.json").write_bytes(text)
    done = run("call", "thread/start", given, stdin=text)

    assert (done.code, json.loads(done.out)["thread"]["title"]) == (Exit.DONE, "x")


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["nope/x"], '-32601 methodNotFound: "nope/x" is not served.'),
        (["_vendor/x"], '-32601 methodNotFound: "_vendor/x" is not served.'),
        (
            ["thread/read", '{"threadId": "absent"}'],
            '-32004 notFound: There is no thread "absent". {"kind":"thread","id":"absent"}',
        ),
        (["thread/read", '{"threadId": 1}'], "-32602 invalidParams: /threadId: "),
    ],
)
def test_error_answer_is_one_line(argv, said):
    done = run("call", *argv)

    assert (done.code, done.out, done.line[: len("turnwire: " + said)]) == (Exit.FINDINGS, "", f"turnwire: {said}")


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["ping", "{"], "the params are not JSON: Input data was truncated; the shell needs them in single quotes"),
        (["ping", "[1]"], "the params are not a JSON object"),
        (["ping", "{}{}"], "the params are not JSON: "),
        (["ping", "[" * 100_000], "the params are nested too deeply"),
        (["ping", "@absent.json"], "absent.json: cannot be read: No such file or directory"),
        (["ping", "@."], ".: a directory; name a file in it"),
        (["initialized"], "initialized is a notification of the client; `call` sends requests only"),
        (["approval/request"], "approval/request is a request of the server; `call` sends requests only"),
        (["ping", "--timeout", "0"], "argument --timeout: '0' is no number above 0; see `turnwire call --help`"),
        (["ping", "--env", "X"], "argument --env: 'X' is not NAME=VALUE; see `turnwire call --help`"),
        (["ping", "--cwd", "absent"], "argument --cwd: 'absent' is no directory; see `turnwire call --help`"),
        (["ping", "--"], "no server behind `--`; leave out the `--` for the reference server"),
    ],
)
def test_wrong_use_is_one_line(argv, said):
    done = run("call", *argv)

    assert (done.code, done.out, done.line[: len("turnwire: " + said)]) == (Exit.USAGE, "", f"turnwire: {said}")


REFUSES = """next(lines)
print('{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}', flush=True)"""


@pytest.mark.parametrize(
    ("server", "said"),
    [
        (["./absent"], "cannot start './absent': No such file or directory; the command behind `--` starts the server"),
        (["."], "cannot start '.': Permission denied; the command behind `--` starts the server"),
        (python_server("sys.exit(3)"), "the server exited with status 3"),
        (python_server("next(lines)\nsys.exit(0)"), "the server exited with status 0"),
        (python_server("import os\nos.kill(os.getpid(), 9)"), "the server was killed by signal 9"),
        (python_server("print('Listening on stdio!')"), "it had written what is no message: 'Listening on stdio!'"),
        (
            python_server("print('[]', flush=True)\ntime.sleep(9)"),
            "initialize got no answer in time; it wrote what is no message: ",
        ),
        (python_server("import os\nos.close(1)\ntime.sleep(9)"), "the connection ended (eof) before the answer came"),
        (python_server("for line in lines: pass"), "initialize got no answer in time"),
        (python_server(REFUSES), "the server refuses initialize: -1 : no"),
        (python_server("reply(next(lines), {})\nnext(lines)\nsys.exit(1)"), "the server exited with status 1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_server_that_cannot_be_talked_to_is_one_line(server, said):
    done = run("call", "ping", "--timeout", "2", "--", *server)

    assert (done.code, done.out) == (Exit.UNREACHED, "")
    assert said in done.line


def test_flags_reach_the_server(tmp_path):
    server = python_server(
        "import os\nreply(next(lines), {'env': os.environ['WORD'], 'cwd': os.getcwd()})\nfor _ in lines: pass"
    )
    done = run("call", "initialize", "--env", "WORD=a=b", "--cwd", str(tmp_path), "--", *server)

    assert (done.code, json.loads(done.out)) == (Exit.DONE, {"env": "a=b", "cwd": str(tmp_path.resolve())})


def test_experimental_is_opted_into():
    server = python_server(
        "line = next(lines)\nreply(line, json.loads(line)['params']['capabilities'])\nfor _ in lines: pass"
    )

    assert json.loads(run("call", "initialize", "--experimental", "--", *server).out) == {"experimental": True}
    assert json.loads(run("call", "initialize", "--", *server).out) == {}
