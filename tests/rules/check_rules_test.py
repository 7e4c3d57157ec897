#!/usr/bin/env python3
"""Each rule of check_rules.py fires on a planted violation and not on an honest file."""
import unittest

from check_rules import include_violations


def broken(name, include):
    return bool(list(include_violations(name, include)))


class Rules(unittest.TestCase):
    def test_planted_violations_are_found(self):
        for name, include in [
                ("shuffler/batch/gate.cc", '"collector/open/opening.h"'),
                ("client/session/session.cc", '"shuffler/store/store.h"'),
                ("common/task/task.cc", '"client/session/session.h"'),
                ("shuffler/embedded/embedded_store.cc", "<grpcpp/server.h>"),
                ("shuffler/embedded/embedded_store.cc", '"common/random/random_source.h"'),
                ("shuffler/store/store.h", '"shuffler/release/batch_release.h"'),
                ("shuffler/outbox/outbox.cc", '"common/crypto/ed25519_sign.h"'),
                ("collector/store/batch_ledger.h", '"collector/open/opening.h"'),
                ("shuffler/daemon.cc", '"tombola/v1/shuffler.grpc.pb.h"'),
                ("collector/open/opening.cc", "<openssl/evp.h>"),
                ("collector/http/pages.cc", "<boost/beast/http.hpp>"),
                ("common/rpc/server.cc", "<boost/asio/io_context.hpp>"),
                ("collector/http/pages.cc", "<openssl/ssl.h>"),
                ("collector/estimate/interval.cc", '"absl/time/clock.h"'),
                ("common/accounting/blanket.cc", '"tombola/v1/task.pb.h"'),
                ("shuffler/batch/releaser.cc", '"common/crypto/hpke_open.h"'),
                ("client/seal/report_sealer.cc", '"common/crypto/ed25519_sign.h"'),
                ("cli/connect/connection.cc", "<grpcpp/create_channel.h>"),
                ("bench/load/main.cc", "<grpcpp/grpcpp.h>"),
                ("shuffler/accept/door.cc", "<grpcpp/server_builder.h>"),
                ("collector/answer/histogram.cc", '"tombola/v1/collector.grpc.pb.h"'),
                ("collector/answer/histogram.cc", '"common/base/clock.h"'),
                ("collector/query/answers.cc", '"tests/support/test_task.h"'),
                ("client/session/session.cc", '"common/plan/plan.h"'),
                ("shuffler/batch/gate.cc", '"common/plan/plan.h"'),
                ("shuffler/batch/gate.cc", '"common/table/tables.h"'),
                ("client/policy/check.cc", '"common/mechanism/mechanism.h"'),
                ("collector/query/guarantee.cc", '"common/kind/kind.h"'),
                ("cli/simulation/chart.cc", '"cli/simulate/output.h"'),
                ("cli/terminal/progress.cc", '"cli/command/command.h"'),
                ("cli/report/device_lines.h", '"cli/query/options.h"'),
                ("cli/plan/plan.cc", '"cli/task/request.h"'),
                ("cli/simulation/data.cc", '"lab/data/population.h"')]:
            self.assertTrue(broken(name, include), f"{name} includes {include}")

    def test_honest_includes_are_left_alone(self):
        for name, include in [
                ("shuffler/accept/shuffler_service.h", '"tombola/v1/shuffler.grpc.pb.h"'),
                ("shuffler/batch/releaser.cc", '"tombola/v1/collector.pb.h"'),
                ("shuffler/release/batch_release.cc", '"shuffler/permute/scatter.h"'),
                ("shuffler/store/store_harness.cc", '"tests/support/seeded_random.h"'),
                ("common/crypto/sha256.cc", "<openssl/sha.h>"),
                ("common/http/tls_context.cc", "<openssl/ssl.h>"),
                ("common/http/server.cc", "<boost/asio/io_context.hpp>"),
                ("collector/estimate/statistical_test.cc", '"client/encode/encoder.h"'),
                ("common/rpc/channel.cc", "<grpcpp/create_channel.h>"),
                ("common/rpc/listener.h", "<grpcpp/server_builder.h>"),
                ("common/rpc/server_test.cc", "<grpcpp/create_channel.h>"),
                ("cli/demo/demo.cc", '"tombola/client.h"'),
                ("cli/main.cc", '"cli/command/command.h"'),
                ("cli/query/query.cc", '"cli/query/options.h"'),
                ("cli/query/query.cc", '"cli/task/request.h"'),
                ("cli/simulation/chart.cc", '"cli/terminal/svg.h"'),
                ("collector/answer/histogram.cc", '"tombola/v1/collector.pb.h"'),
                ("collector/catalog/task_maker.cc", '"common/plan/plan.h"'),
                ("shuffler/batch/gate.cc", '"common/scheme/scheme.h"'),
                ("client/session/session.cc", '"common/kind/kind.h"'),
                ("lab/sample/draws.cc", '"lab/data/population.h"'),
                ("lab/main.cc", '"cli/command/command.h"'),
                ("collector/estimate/interval.cc", "<cmath>")]:
            self.assertFalse(broken(name, include), f"{name} includes {include}")


if __name__ == "__main__":
    unittest.main()
