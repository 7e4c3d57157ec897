#!/usr/bin/env python3
"""The collector's HTTP interface, over TLS, against what the command line and gRPC say.

usage: http_test.py BIN_DIR SOURCE_DIR [unittest arguments]
"""
import csv
import io
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

SOURCE = pathlib.Path(sys.argv.pop(2)).resolve()
# pylint: disable=wrong-import-position
from http_client import Description, Http, make_tokens
from support import daemon_process
from support.deployment import Deployment
from support.programs import BIN, TOMBOLA
from support.waiting import until

USERS = 400
LABELS = ["red", "green, light", 'the "blue" one', "東京", "a/b?c=d&e#f"] + [
    f"value {i}" for i in range(15)]
TARGET = ["--epsilon", "8", "--delta", "1e-6", "--users", str(USERS)]
FLAGS = [*TARGET, "--mechanism", "local_hash"]
SCHEMA = {"attributes": [{"name": "age", "low": 0, "high": 64, "bins": 16},
                         {"name": "shop", "labels": [f"shop {number}" for number in range(101)]}],
          "measures": [{"name": "amount", "low": 0, "high": 10}], "max_records": 2,
          "questions": [["age"], {"attributes": ["age", "shop"], "measure": "amount"}]}
ROLES = ["analyst", "administrator", "monitor", "operator"]
SECURITY = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin"}


class HttpInterface(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="tombola-http-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.deployment = Deployment(BIN, cls.folder / "up")
        labels = cls.folder / "labels.txt"
        labels.write_text("".join(label + "\n" for label in LABELS), encoding="utf-8")
        create = lambda name, *more: cls.deployment.ask("task", "create", "--name", name, *more,
                                                        *FLAGS)["task"]
        cls.task = create("labelled", "--values", str(labels))
        cls.large = create("large", "--domain", "3000")
        cls.empty = create("empty", "--domain", "4")
        cls.edged, cls.records = cls.create_large_ones()
        held = "".join(LABELS[i * i % 11] + "\n" for i in range(USERS))
        cls.deployment.ask("report", "--task", cls.task, "--input", "-", stdin=held)
        cls.deployment.ask("report", "--task", cls.large, "--input", "-", stdin="7\n" * USERS)
        for task in (cls.task, cls.large):
            cls.deployment.wait_for(task, lambda status: status["counted_batches"] == 1)
        cls.dashboard = cls.deployment.ready["dashboard"]
        base, token = cls.dashboard.split("/#token=")
        cls.plain = Http(base, token=token).ask("/v1/tasks").json(), Http(base).ask("/v1/tasks")
        command = daemon_process.command_of(cls.deployment.pids["collector_pid"])
        assert cls.deployment.stop() == 0
        cls.start_over_tls(command)

    @classmethod
    def create_large_ones(cls):
        """Tasks with more edges and labels than a list of tasks shows."""
        edges, schema = cls.folder / "edges.txt", cls.folder / "schema.json"
        edges.write_text("".join(f"{number * number}\n" for number in range(151)), encoding="utf-8")
        schema.write_text(json.dumps(SCHEMA), encoding="utf-8")
        return [cls.deployment.ask("task", "create", "--name", name, *more, *TARGET, "--mechanism",
                                   "pure_dump")["task"]
                for name, *more in (("edged", "--kind", "number", "--edges", str(edges)),
                                    ("records", "--kind", "records", "--schema", str(schema)))]

    @classmethod
    def start_over_tls(cls, command):
        web = cls.folder / "web"
        (web / "assets").mkdir(parents=True)
        (web / "index.html").write_text("<p>page</p>", encoding="utf-8")
        (web / "assets/app-1.js").write_text("let x;", encoding="utf-8")
        cls.token_file = cls.folder / "tokens"
        cls.tokens = make_tokens(cls.token_file, ROLES)
        at = command.index("--listen-http")
        command = command[:at] + ["--listen-http", "127.0.0.1:0", "--http-tokens",
                                  str(cls.token_file), "--web-dir", str(web)]
        cls.log = cls.folder / "collector.log"
        cls.collector, ready = daemon_process.start(command, cls.log)
        cls.addClassCleanup(cls.end)
        cls.base = f"https://127.0.0.1:{ready['http_port']}"
        cls.certificates = cls.folder / "up/certificates"
        cls.roots = str(cls.certificates / "ca.pem")
        config = json.loads(pathlib.Path(cls.deployment.config).read_text(encoding="utf-8"))
        config["collector_query"] = f"127.0.0.1:{ready['query_port']}"
        pathlib.Path(cls.deployment.config).write_text(json.dumps(config), encoding="utf-8")
        cls.analyst = cls.caller("analyst")
        cls.description = Description(cls.caller().ask("/openapi.json").body)

    @classmethod
    def end(cls):
        cls.collector.send_signal(signal.SIGTERM)
        assert cls.collector.wait(60) == 0

    @classmethod
    def caller(cls, token=None, certificate=None):
        identity = certificate and (str(cls.certificates / f"{certificate}.pem"),
                                    str(cls.certificates / f"{certificate}.key"))
        return Http(cls.base, cls.roots, token and cls.tokens[token], identity)

    def get(self, path, status=200):
        answer = self.analyst.ask(path)
        self.assertEqual(answer.status, status, answer.text)
        return answer

    def error(self, path, status, name, says):
        answer = self.get(path, status)
        described = next(p for p in self.description.paths
                         if re.fullmatch(re.sub(r"\{.*?\}", "[^/]+", p), path.split("?")[0]))
        self.description.check(answer.json(), described, str(status))
        self.assertEqual(answer.json()["error"]["status"], name)
        self.assertIn(says, answer.json()["error"]["message"])

    def printed(self, *arguments):
        code, out, err = self.deployment.run(*arguments)
        self.assertEqual(code, 0, err)
        return out

    # What is answered.

    def test_tasks_are_those_of_the_command_line(self):
        answer = self.get("/v1/tasks")
        self.assertEqual(answer.text, self.printed("task", "list", "--json"))
        self.description.check(answer.json(), "/v1/tasks")
        self.assertEqual([task["name"] for task in answer.json()["tasks"]],
                         ["labelled", "large", "empty", "edged", "records"])
        for task in (self.task, self.empty, self.edged, self.records):
            answer = self.get(f"/v1/tasks/{task}")
            self.assertEqual(answer.text, self.printed("task", "show", "--task", task, "--json"))
            self.description.check(answer.json(), "/v1/tasks/{task}")
        self.assertEqual(self.get(f"/v1/tasks/{self.task}").json()["labels"], LABELS)

    def test_many_edges_and_labels_are_in_a_task_by_itself_alone(self):
        listed = {task["name"]: task for task in self.get("/v1/tasks").json()["tasks"]}
        self.assertIsNone(listed["edged"]["numbers"]["edges"])
        self.assertFalse(listed["edged"]["numbers"]["equal"])
        age, shop = listed["records"]["records"]["attributes"]
        self.assertEqual((age["bins"], shop), (16, {"name": "shop", "values": 101, "labels": None}))
        self.assertEqual(self.get(f"/v1/tasks/{self.edged}").json()["numbers"]["edges"],
                         [number * number for number in range(151)])
        whole = self.get(f"/v1/tasks/{self.records}").json()["records"]["attributes"]
        self.assertEqual(whole[1]["labels"], SCHEMA["attributes"][1]["labels"])

    def test_answers_are_those_of_the_command_line(self):
        for query, flags in (
                ("", []), ("postprocess=none&confidence=0.5", ["--postprocess", "none",
                                                               "--confidence", "0.5"]),
                ("top=3", ["--top", "3"]), ("order=frequency", ["--sort", "frequency"]),
                ("top=3&order=natural", ["--top", "3", "--sort", "value"]),
                ("postprocess=em", ["--postprocess", "em"]),
                ("value=red&value=" + urllib.parse.quote("東京"), ["--values", "red,東京"])):
            path = f"/v1/tasks/{self.task}/answer"
            answer = self.get(f"{path}?{query}" if query else path)
            self.assertEqual(answer.text, self.printed("query", "--task", self.task, *flags,
                                                       "--json"), query)
            self.description.check(answer.json(), "/v1/tasks/{task}/answer")
        large = self.get(f"/v1/tasks/{self.large}/answer")
        self.assertEqual(large.text, self.printed("query", "--task", self.large, "--json"))
        self.description.check(large.json(), "/v1/tasks/{task}/answer")
        one = self.get(f"/v1/tasks/{self.large}/answer?value=7").json()["bins"]
        self.assertEqual([row["value"] for row in one], [7])

    def test_csv_by_parameter_and_by_accept(self):
        path = f"/v1/tasks/{self.task}/answer"
        printed = subprocess.run([TOMBOLA, "query", "--config", self.deployment.config, "--task",
                                  self.task, "--format", "csv"], capture_output=True, timeout=60,
                                 check=True).stdout
        answer = self.get(path + "?format=csv")
        self.assertEqual(answer.body, printed)
        self.assertEqual(self.analyst.ask(path, Accept="text/csv").body, printed)
        self.assertTrue(answer.headers["Content-Type"].startswith("text/csv"))
        rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
        self.assertEqual([row["value"] for row in rows], LABELS)
        self.assertEqual(json.loads(answer.headers["Tombola-Guarantee"]),
                         self.get(path).json()["guarantee"])
        self.assertEqual(json.loads(answer.headers["Tombola-Max-Error"]),
                         self.get(path).json()["max_error"])
        self.assertEqual(json.loads(answer.headers["Tombola-Warnings"]), [
            warning["kind"] for warning in self.get(path).json()["quality"]["warnings"]])

    def test_status_has_the_batches_with_their_minutes(self):
        answer = self.get(f"/v1/tasks/{self.task}/status").json()
        self.description.check(answer, "/v1/tasks/{task}/status")
        shown = self.get(f"/v1/tasks/{self.task}").json()
        for name in set(answer) & set(shown):
            self.assertEqual(answer[name], shown[name], name)
        (batch,) = answer["batches"]
        self.assertEqual((batch["state"], batch["reports"], batch["users"]),
                         ("counted", USERS, USERS))
        self.assertRegex(batch["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$")
        self.assertEqual(self.get(f"/v1/tasks/{self.task}/status?limit=0").json()["batches"], [])
        self.assertEqual(self.get(f"/v1/tasks/{self.empty}/status").json()["batches"], [])

    def test_plans_are_those_of_the_command_line(self):
        query = "users=5000&domain=50&delta=1e-7&epsilon=1&epsilon=4&dishonest=0.1"
        for asked, words in (
                ("&max_messages=3", ("--max-messages", "3")),
                ("&kind=set&max_items=4", ("--kind", "set", "--max-items", "4")),
                ("&kind=key_value&max_items=6&levels=2&frequency=0.1",
                 ("--kind", "key_value", "--max-items", "6", "--levels", "2", "--frequency", "0.1"))):
            for _ in range(2):  # computed, then remembered
                answer = self.get(f"/v1/plan?{query}{asked}").json()
                self.description.check(answer, "/v1/plan")
                self.assertEqual((answer["users"], answer["domain"], answer["delta"]), (5000, 50, 1e-7))
                for plan, epsilon in zip(answer["plans"], (1, 4), strict=True):
                    done = subprocess.run(
                        [TOMBOLA, "plan", "--users", "5000", "--domain", "50", "--delta", "1e-7",
                         "--epsilon", str(epsilon), "--dishonest", "0.1", "--json", *words],
                        capture_output=True, timeout=60, check=True)
                    printed = json.loads(done.stdout)
                    self.assertEqual(answer["kind"], printed["kind"])
                    for name in plan:
                        self.assertEqual(plan[name], printed[name], name)
        self.plans_of_other_kinds()
        quick = self.get(f"/v1/plan?{query}&min_batch=false").json()
        self.description.check(quick, "/v1/plan")
        self.assertTrue(all(row["min_batch"] is None
                            for plan in quick["plans"] for row in plan["candidates"]))

    def plans_of_other_kinds(self):
        schema = json.dumps(SCHEMA)
        file = self.folder / "planned.json"
        file.write_text(schema, encoding="utf-8")
        for asked, words, domain in (
                ("kind=number&resolution=100&missing=true",
                 ("--kind", "number", "--resolution", "100", "--missing"), 100),
                ("kind=number&resolution=64&branching=8&sent=1",
                 ("--kind", "number", "--resolution", "64", "--branching", "8", "--sent", "1"), 64),
                ("kind=number&mean_only=true", ("--kind", "number", "--mean-only"), None),
                ("kind=stream&domain=20&periods=8&device_periods=2",
                 ("--kind", "stream", "--domain", "20", "--periods", "8", "--device-periods", "2"), 20),
                ("kind=records&schema=" + urllib.parse.quote(schema),
                 ("--kind", "records", "--schema", str(file)), None),
                ("kind=strings&alphabet=abcdefgh&length=6",
                 ("--kind", "strings", "--alphabet", "abcdefgh", "--length", "6"), None),
                ("kind=strings&alphabet=bytes&length=20&dictionary_size=1000",
                 ("--kind", "strings", "--alphabet", "bytes", "--length", "20", "--dictionary-size",
                  "1000"), None)):
            answer = self.get(f"/v1/plan?users=5000&delta=1e-7&epsilon=1&epsilon=4&{asked}").json()
            self.description.check(answer, "/v1/plan")
            self.assertEqual(answer["domain"], domain, asked)
            for plan, epsilon in zip(answer["plans"], (1, 4), strict=True):
                done = subprocess.run([TOMBOLA, "plan", "--users", "5000", "--delta", "1e-7", "--epsilon",
                                       str(epsilon), "--json", *words], capture_output=True, timeout=60,
                                      check=True)
                printed = json.loads(done.stdout)
                self.assertEqual(answer["kind"], printed["kind"])
                for name in plan:
                    self.assertEqual(plan[name], printed[name], (asked, name))
        wrong = urllib.parse.quote(schema.replace('"max_records": 2', '"max_records": 0'))
        for asked, says in ((f"kind=records&schema={wrong}", "max_records"),
                            ("kind=number&resolution=2000000", "resolution"),
                            ("kind=strings&alphabet=bytes", "length"),
                            ("kind=strings&alphabet=aa&length=6", "strings.alphabet"),
                            ("kind=histogram&domain=4&length=6", "length"),
                            ("kind=number&domain=4", "domain"),
                            ("kind=stream&domain=4", "periods must be given"),
                            ("kind=stream&domain=4&periods=367", "periods"),
                            ("domain=4&structure=best", "structure")):
            self.error(f"/v1/plan?users=5000&delta=1e-7&epsilon=1&{asked}", 400, "INVALID_ARGUMENT", says)

    def test_what_everybody_may_ask(self):
        nobody = self.caller()
        self.assertEqual(nobody.ask("/healthz").text, "ok\n")
        self.assertEqual(nobody.ask("/readyz").text, "ready\n")
        self.assertEqual(nobody.ask("/v1/session").json(), {"roles": []})
        self.assertEqual(nobody.ask("/openapi.json").body,
                         (SOURCE / "collector/http/openapi.json").read_bytes())
        self.description.check(self.get("/v1/session").json(), "/v1/session")

    def test_every_path_of_the_description_is_there(self):
        administrator = self.caller("administrator")
        for path in self.description.paths:
            asked = path.replace("{task}", self.task)
            if path == "/v1/plan":
                asked += "?users=100&domain=4&delta=1e-6&epsilon=8"
            answer = administrator.ask(asked)
            # A task that did not ask for trusted totals has none.
            self.assertEqual(answer.status, 409 if path.endswith("/totals") else 200, path)
            for name, value in SECURITY.items():
                self.assertEqual(answer.headers[name], value, path)
            if path.startswith("/v1/"):
                self.assertEqual(answer.headers["Cache-Control"], "no-store", path)

    # Who may ask.

    def test_roles_by_token_and_by_certificate(self):
        callers = {"nobody": self.caller(), "shuffler": self.caller(certificate="shuffler")}
        callers.update({f"{role}'s token": self.caller(role) for role in ROLES})
        callers.update({role: self.caller(certificate=role)
                        for role in ("analyst", "administrator", "operator")})
        allowed = {"/v1/tasks": ("analyst", "administrator"),
                   f"/v1/tasks/{self.task}": ("analyst", "administrator"),
                   f"/v1/tasks/{self.task}/status": ("analyst", "administrator"),
                   f"/v1/tasks/{self.task}/answer": ("analyst", "administrator"),
                   "/v1/plan?users=100&domain=4&delta=1e-6&epsilon=8": ("analyst",
                                                                        "administrator"),
                   "/metrics": ("monitor", "administrator")}
        for who, caller in callers.items():
            role = who.split("'")[0]
            self.assertEqual(caller.ask("/v1/session").json()["roles"],
                             [] if who == "nobody" else [role])
            for path, roles in allowed.items():
                wanted = 200 if role in roles else 401 if who == "nobody" else 403
                answer = caller.ask(path)
                self.assertEqual(answer.status, wanted, (who, path, answer.text))
                if wanted == 401:
                    self.assertEqual(answer.headers["WWW-Authenticate"], "Bearer")
        wrong = Http(self.base, self.roots, "no-such-token")
        self.assertEqual(wrong.ask("/v1/tasks").status, 401)

    def test_metrics_are_for_prometheus(self):
        answer = self.caller("monitor").ask("/metrics")
        self.assertEqual(answer.headers["Content-Type"],
                         "text/plain; version=0.0.4; charset=utf-8")
        for line in answer.text.splitlines():
            self.assertRegex(line, r"^(# (HELP|TYPE) )?tombola_|^(# (HELP|TYPE) )?process_")

    def test_tokens_change_without_a_restart(self):
        before = self.token_file.read_text(encoding="ascii")
        self.addCleanup(self.token_file.write_text, before, encoding="ascii")
        kept = "".join(line for line in before.splitlines(True) if not line.startswith("operator"))
        self.token_file.write_text(kept, encoding="ascii")
        self.collector.send_signal(signal.SIGHUP)
        until(lambda: not self.caller("operator").ask("/v1/session").json()["roles"])
        self.assertEqual(self.get("/v1/tasks").status, 200)

    # What is refused.

    def test_errors_say_what_is_wrong(self):
        answer = f"/v1/tasks/{self.task}/answer"
        for path, status, name, says in (
                ("/v1/tasks?x=1", 400, "INVALID_ARGUMENT", "unknown parameter x"),
                ("/v1/tasks/abc", 404, "NOT_FOUND", "no task has the name abc"),
                (f"/v1/tasks/{'0' * 64}", 404, "NOT_FOUND", "task"),
                (f"/v1/tasks/{'0' * 64}/answer", 404, "NOT_FOUND", "task"),
                (f"/v1/tasks/{'0' * 64}/status", 404, "NOT_FOUND", "task"),
                (f"/v1/tasks/{self.task}/status?limit=10001", 400, "INVALID_ARGUMENT", "limit"),
                (f"{answer}?confidence=1", 400, "INVALID_ARGUMENT", "confidence"),
                (f"{answer}?top=-1", 400, "INVALID_ARGUMENT", "top"),
                (f"{answer}?top=1&top=2", 400, "INVALID_ARGUMENT", "once"),
                (f"{answer}?value=none", 400, "INVALID_ARGUMENT", "none is not among"),
                (f"{answer}?tops=1", 400, "INVALID_ARGUMENT", "tops"),
                (f"{answer}?format=xml", 400, "INVALID_ARGUMENT", "json, csv"),
                (f"/v1/tasks/{self.empty}/answer", 409, "FAILED_PRECONDITION", "no batch"),
                ("/v1/plan?users=100", 400, "INVALID_ARGUMENT", "must be given"),
                ("/v1/plan?users=0&domain=4&delta=1e-6&epsilon=1", 400, "INVALID_ARGUMENT",
                 "users must be a whole number from 1 to")):
            with self.subTest(path=path):
                self.error(path, status, name, says)
        for path in ("/v1/nothing", f"/v1/tasks/{self.task}/histogram"):
            self.assertEqual(self.get(path, 404).json()["error"]["status"], "NOT_FOUND")

    def test_only_get_and_head(self):
        path = f"/v1/tasks/{self.task}/answer"
        head = self.analyst.ask(path, method="HEAD")
        self.assertEqual((head.status, head.body), (200, b""))
        self.assertEqual(int(head.headers["Content-Length"]), len(self.get(path).body))
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            self.assertEqual(self.analyst.ask(path, method=method).status, 405, method)

    # The page.

    def test_page_files_and_their_tags(self):
        nobody = self.caller()
        page = nobody.ask("/")
        self.assertEqual(page.text, "<p>page</p>")
        self.assertEqual(page.headers["Cache-Control"], "no-cache")
        self.assertIn("default-src 'none'", page.headers["Content-Security-Policy"])
        self.assertEqual(page.headers["Cross-Origin-Opener-Policy"], "same-origin")
        again = nobody.ask("/", If_None_Match=page.headers["ETag"])
        self.assertEqual((again.status, again.body), (304, b""))
        self.assertEqual(nobody.ask("/", If_None_Match='"other"').status, 200)
        asset = nobody.ask("/assets/app-1.js")
        self.assertEqual(asset.headers["Cache-Control"], "public, max-age=31536000, immutable")
        self.assertTrue(asset.headers["Content-Type"].startswith("text/javascript"))
        for path in ("/../tokens", "/%2e%2e/tokens", "/assets/..%2f..%2ftokens", "/none.html"):
            self.assertIn(nobody.ask(path).status, (400, 404), path)

    # Around it.

    def test_the_documentations_example_over_tls_works(self):
        text = (SOURCE / "docs/http.md").read_text(encoding="utf-8")
        [command] = re.findall(r"^curl --cacert .*$", text, re.M)  # docs_test runs the others
        command = command.replace("https://collector.example:7004", self.base)
        done = subprocess.run(["bash", "-c", command], cwd=self.certificates, capture_output=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 0, (command, done.stderr.decode()))
        self.assertIn(self.task, done.stdout.decode())

    def test_up_serves_the_dashboard_on_loopback_with_a_token(self):
        tasks, refused = self.plain
        self.assertEqual(len(tasks["tasks"]), 5)
        self.assertEqual(refused.status, 401)
        self.assertRegex(self.dashboard, r"^http://127\.0\.0\.1:\d+/#token=[\w-]{43}$")
        self.assertEqual(self.deployment.pids["dashboard"], self.dashboard)

    def test_the_configuration_is_checked(self):
        def check(flag=None, value=None):
            command = daemon_process.command_of(self.collector.pid)
            if flag is not None:
                command[command.index(flag) + 1] = value
            done = subprocess.run([*command, "--check-config"], capture_output=True, text=True,
                                  timeout=60, check=False)
            return done.returncode, done.stderr
        self.assertEqual(check()[0], 0)
        open_to_all = self.folder / "open-to-all"
        open_to_all.write_text("", encoding="ascii")
        open_to_all.chmod(0o644)
        for flag, value, says in (("--listen-http", "nowhere", "nowhere"),
                                  ("--http-tokens", "/nonexistent/tokens", "/nonexistent"),
                                  ("--http-tokens", str(open_to_all), "open-to-all")):
            code, err = check(flag, value)
            self.assertNotEqual(code, 0, err)
            self.assertIn(says, err)

    def test_no_token_is_in_a_log(self):
        log = self.log.read_text(encoding="utf-8")
        for token in self.tokens.values():
            self.assertNotIn(token, log)


if __name__ == "__main__":
    assert BIN.is_dir()
    unittest.main(verbosity=2)
