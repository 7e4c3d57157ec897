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
                ("shuffler/store/store.cc", "<grpcpp/server.h>"),
                ("shuffler/daemon.cc", '"tombola/v1/shuffler.grpc.pb.h"'),
                ("collector/open/opening.cc", "<openssl/evp.h>"),
                ("collector/http/pages.cc", "<boost/beast/http.hpp>"),
                ("common/rpc/server.cc", "<boost/asio/io_context.hpp>"),
                ("collector/http/pages.cc", "<openssl/ssl.h>"),
                ("collector/estimate/interval.cc", '"absl/time/clock.h"'),
                ("common/accounting/blanket.cc", '"tombola/v1/task.pb.h"'),
                ("shuffler/batch/releaser.cc", '"common/crypto/hpke_open.h"'),
                ("client/seal/report_sealer.cc", '"common/crypto/ed25519_sign.h"'),
                ("collector/query/answer.cc", '"tests/support/test_task.h"')]:
            self.assertTrue(broken(name, include), f"{name} includes {include}")

    def test_honest_includes_are_left_alone(self):
        for name, include in [
                ("shuffler/accept/shuffler_service.h", '"tombola/v1/shuffler.grpc.pb.h"'),
                ("shuffler/batch/releaser.cc", '"tombola/v1/collector.pb.h"'),
                ("common/crypto/sha256.cc", "<openssl/sha.h>"),
                ("common/http/tls_context.cc", "<openssl/ssl.h>"),
                ("common/http/server.cc", "<boost/asio/io_context.hpp>"),
                ("collector/estimate/statistical_test.cc", '"client/encode/encoder.h"'),
                ("cli/demo.cc", '"tombola/client.h"'),
                ("collector/estimate/interval.cc", "<cmath>")]:
            self.assertFalse(broken(name, include), f"{name} includes {include}")


if __name__ == "__main__":
    unittest.main()
