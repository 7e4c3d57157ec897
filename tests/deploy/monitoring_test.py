#!/usr/bin/env python3
"""What operators watch: the HTTP ports, the metrics, deploy/prometheus and deploy/grafana.

usage: monitoring_test.py BIN_DIR [unittest arguments]
"""
import json
import re
import signal
import socket
import subprocess
import unittest
import urllib.parse
import urllib.request

import yaml
from parties import DEPLOY
from support.programs import SOURCE
from support.waiting import until
from watched import NAMES, Watched, families, promtool, samples, used_in

RULES = DEPLOY / "prometheus"
FIRING = ("alerts_test.yml", "alerts_days_test.yml")
DASHBOARD = DEPLOY / "grafana/tombola.json"
GUIDE = (SOURCE / "docs/operate.md").read_text(encoding="utf-8")
COMMON = ("tombola_build_info", "tombola_time_seconds", "tombola_disk_available_bytes",
          "tombola_disk_size_bytes", "tombola_certificate_end_timestamp_seconds",
          "tombola_revocations_refused_total", "tombola_revoked_certificates")


def rules():
    groups = yaml.safe_load((RULES / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def documented():
    """name -> kind of the metrics in the tables of docs/operate.md."""
    return dict(re.findall(r"^\| `([a-z_]+)(?:\{[a-z, ]+\})?` \| (counter|gauge|histogram) \|", GUIDE,
                           re.M))


def questions():
    """What the dashboard asks Prometheus; Grafana puts the duration in."""
    board = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    return [target["expr"].replace("$__rate_interval", "5m")
            for panel in board["panels"] for target in panel.get("targets", [])]


class Files(unittest.TestCase):
    def test_prometheus_takes_the_rules_and_they_fire_when_they_should(self):
        code, said = promtool("check", "rules", "alerts.yml", cwd=RULES)
        self.assertEqual(code, 0, said)
        code, said = promtool("test", "rules", *sorted(FIRING), "alerts_quiet_test.yml", cwd=RULES)
        self.assertEqual(code, 0, said)

    def test_every_rule_is_tested_and_says_what_to_do(self):
        tested = [test for name in FIRING for test in
                  yaml.safe_load((RULES / name).read_text(encoding="utf-8"))["tests"]]
        self.assertEqual({test["name"] for test in tested}, {rule["alert"] for rule in rules()})
        for test in tested:
            self.assertTrue(test["alert_rule_test"][0]["exp_alerts"], test["name"])
        headings = {re.sub("[^a-z0-9]", "", heading.lower())
                    for heading in re.findall(r"^#+ (\w+)$", GUIDE, re.M)}
        for rule in rules():
            self.assertEqual(rule["annotations"].keys(), {"summary", "description", "runbook_url"})
            self.assertIn(rule["labels"]["severity"], ("critical", "warning", "info"))
            page, anchor = rule["annotations"]["runbook_url"].split("#")
            self.assertEqual(page, "docs/operate.md")
            self.assertEqual(anchor, rule["alert"].lower())
            self.assertIn(anchor, headings)

    def test_the_dashboard_asks_the_chosen_source_in_four_rows(self):
        board = json.loads(DASHBOARD.read_text(encoding="utf-8"))
        rows = [panel["title"] for panel in board["panels"] if panel["type"] == "row"]
        self.assertEqual(rows, ["Both daemons", "Shuffler", "Collector", "Privacy"])
        self.assertEqual([variable["type"] for variable in board["templating"]["list"]],
                         ["datasource"])
        panels = [panel for panel in board["panels"] if panel["type"] != "row"]
        self.assertEqual(len({panel["id"] for panel in board["panels"]}), len(board["panels"]))
        for panel in panels:
            self.assertTrue(panel["description"] and panel["targets"], panel["title"])
            for target in panel["targets"]:
                self.assertEqual(target["datasource"]["uid"], "${datasource}")


class Running(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.watched = Watched()
        cls.addClassCleanup(cls.watched.stop)
        cls.watched.launch_both()
        cls.task = cls.watched.collect()
        # The receipt reaches the shuffler a moment after the batch is counted.
        until(lambda: samples(cls.watched.metrics("shuffler"))[
            'tombola_shuffler_batches_delivered_total{state="counted"}'] == 1)
        cls.texts = {who: cls.watched.metrics(who) for who in NAMES}
        cls.families = {who: families(text) for who, text in cls.texts.items()}

    def value(self, who, name):
        return samples(self.texts[who])[name]

    def test_a_batch_shows_in_the_numbers_of_both(self):
        for name, expected in (
                ('tombola_shuffler_submissions_total{outcome="accepted"}', 300),
                ("tombola_shuffler_batches_released_total", 1),
                ("tombola_shuffler_submissions_released_total", 300),
                ('tombola_shuffler_batches_delivered_total{state="counted"}', 1),
                ("tombola_shuffler_release_seconds_count", 1),
                ("tombola_shuffler_delivery_seconds_count", 1),
                ("tombola_shuffler_held_submissions", 0),
                ("tombola_shuffler_outbox_batches", 0),
                ('tombola_shuffler_tasks{state="open"}', 1),
                (f'tombola_shuffler_task_planned_submissions{{name="watched",task="{self.task}"}}',
                 300)):
            self.assertEqual(self.value("shuffler", name), expected, name)
        for name, expected in (
                ('tombola_collector_batches_total{state="counted"}', 1),
                ("tombola_collector_batch_seconds_count", 1),
                ("tombola_collector_answer_seconds_count", 1),
                ('tombola_collector_calls_total{code="OK",rpc="DeliverBatch"}', 1),
                ('tombola_collector_hpke_keys{state="active"}', 1),
                (f'tombola_collector_task_batches{{name="watched",state="counted",'
                 f'task="{self.task}"}}', 1)):
            self.assertEqual(self.value("collector", name), expected, name)
        self.assertGreaterEqual(self.value("shuffler", "tombola_shuffler_commit_seconds_count"), 1)
        self.assertGreater(self.value("collector", "tombola_collector_open_seconds_total"), 0)

    def test_the_collector_knows_no_exact_count_of_what_is_held(self):
        # design: progress comes to it in steps of 5 %.
        held = [name for name in self.families["collector"] if "held" in name]
        self.assertEqual(held, ["tombola_collector_task_held_ratio"])
        for name in self.families["collector"]:
            self.assertFalse(name.startswith("tombola_shuffler_"))

    def test_names_follow_prometheus_rules(self):
        for who in NAMES:
            code, said = promtool_lint(self.texts[who])
            self.assertEqual(code, 0, said)
            for name, (kind, help_text) in self.families[who].items():
                self.assertTrue(help_text.endswith("."), name)
                self.assertEqual(name.endswith("_total"), kind == "counter", name)
                if kind == "histogram":
                    self.assertTrue(name.endswith("_seconds"), name)
                ours = name.startswith((f"tombola_{who}_", "process_")) or name in COMMON
                self.assertTrue(ours, name)

    def test_labels_are_causes_states_and_tasks_alone(self):
        allowed = {"cause", "state", "outcome", "task", "name", "le", "part", "database", "rpc",
                   "code", "program", "version", "path", "status"}
        for text in self.texts.values():
            labels = set(re.findall(r'[{,]([a-z_]+)="', text))
            self.assertLessEqual(labels, allowed)

    def test_every_metric_is_documented_and_the_reverse(self):
        exported = {name: kind for found in self.families.values()
                    for name, (kind, _) in found.items()}
        self.assertEqual(documented(), exported)

    def test_alerts_and_dashboard_use_metrics_that_exist(self):
        exported = set(self.families["shuffler"]) | set(self.families["collector"])
        for path in (RULES / "alerts.yml", DASHBOARD):
            self.assertLessEqual(used_in(path), exported)

    def test_prometheus_reads_both_over_tls_with_a_token(self):
        config = yaml.safe_load((RULES / "prometheus.yml").read_text(encoding="utf-8"))
        config["rule_files"] = [str(RULES / "alerts.yml")]
        config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        jobs = [job for job in config["scrape_configs"]
                if job["job_name"].removeprefix("tombola-") in self.watched.http]
        self.assertEqual(len(config["scrape_configs"]), 2)
        for job in jobs:
            who = job["job_name"].removeprefix("tombola-")
            token = self.watched.root / f"{who}.token"
            token.write_text(self.watched.tokens[who], encoding="utf-8")
            job["authorization"]["credentials_file"] = str(token)
            job["tls_config"]["ca_file"] = str(self.watched.ca / "ca.pem")
            port = self.watched.ports[who]["http_port"]
            job["static_configs"] = [{"targets": [f"127.0.0.1:{port}"]}]
        config["scrape_configs"] = jobs
        file = self.watched.root / "prometheus.yml"
        file.write_text(yaml.safe_dump(config), encoding="utf-8")
        code, said = promtool("check", "config", str(file), cwd=RULES)
        self.assertEqual(code, 0, said)
        with Prometheus(file, self.watched.root / "prometheus") as prometheus:
            up = until(lambda: prometheus.ups(len(jobs)))
            self.assertEqual(up, {job["job_name"]: "1" for job in jobs})
            loaded = {rule["name"] for group in prometheus.ask("rules")["groups"]
                      for rule in group["rules"]}
            self.assertEqual(loaded, {rule["alert"] for rule in rules()})
            for question in questions():  # an error would be an HTTP status other than 200
                prometheus.ask("query?" + urllib.parse.urlencode({"query": question}))


def promtool_lint(text):
    """promtool check metrics; what it says of metrics of the process itself is not ours."""
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True,
                          text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


class Prometheus:
    """Prometheus itself, as a process on a free port."""

    def __init__(self, config, directory):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        with open(f"{directory}.log", "wb") as log:
            self.process = subprocess.Popen(
                ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={directory}",
                 f"--web.listen-address=127.0.0.1:{self.port}"], stdout=log, stderr=log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)

    def ask(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{path}",
                                    timeout=30) as answer:
            return json.load(answer)["data"]

    def ups(self, wanted):
        """job -> value of `up`, once every job has been looked at."""
        try:
            found = self.ask("query?query=up")["result"]
        except OSError:
            return None  # it is still starting
        return {one["metric"]["job"]: one["value"][1] for one in found} \
            if len(found) == wanted else None


if __name__ == "__main__":
    unittest.main(verbosity=2)
