"""Requests to the collector's HTTP interface, and its description as JSON Schema."""
import copy
import hashlib
import json
import secrets
import ssl
import urllib.error
import urllib.request

import jsonschema


class Answer:
    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def text(self):
        return self.body.decode()

    def json(self):
        return json.loads(self.body)


class Http:
    """One caller: a base address, and a token or a certificate."""

    def __init__(self, base, roots=None, token=None, identity=None):
        self.base, self.token, self.context = base, token, None
        if roots is not None:
            self.context = ssl.create_default_context(cafile=roots)
            if identity is not None:
                self.context.load_cert_chain(*identity)

    def ask(self, path, method="GET", **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(self.base + path, method=method, headers=headers)
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}),
            *([urllib.request.HTTPSHandler(context=self.context)] if self.context else []))
        try:
            with opener.open(request, timeout=60) as response:
                return Answer(response)
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error)


def make_tokens(path, roles):
    """A file of tokens as the collector reads it, and the token of each role."""
    tokens = {role: secrets.token_urlsafe(32) for role in roles}
    lines = [f"{role} {hashlib.sha256(token.encode()).hexdigest()} of {role}\n"
             for role, token in tokens.items()]
    path.touch(mode=0o600)
    path.write_text("# who may ask\n" + "".join(lines), encoding="ascii")
    return tokens


class Description:
    """openapi.json: OpenAPI 3.0 says `nullable` where JSON Schema has a second type."""

    def __init__(self, text):
        self.document = json.loads(text)
        self.paths = self.document["paths"]
        self.resolver = jsonschema.RefResolver("", self._nullable(copy.deepcopy(self.document)))

    def _nullable(self, node):
        if isinstance(node, list):
            return [self._nullable(item) for item in node]
        if not isinstance(node, dict):
            return node
        node = {key: self._nullable(value) for key, value in node.items()}
        if node.pop("nullable", False):
            node["type"] = [node["type"], "null"]
        return node

    def schema(self, path, status="200"):
        response = self.paths[path]["get"]["responses"][status]
        if "$ref" in response:
            response = self.document["components"]["responses"][response["$ref"].split("/")[-1]]
        return self._nullable(response["content"]["application/json"]["schema"])

    def check(self, document, path, status="200"):
        schema = self.schema(path, status)
        jsonschema.Draft4Validator.check_schema(schema)
        jsonschema.Draft4Validator(schema, resolver=self.resolver).validate(document)
