"""Lints the chart, and renders it as it is installed in several ways: `python check.py CHART`, with the packages
helm-python-sdk and pyyaml."""

import sys

import helm_python
import yaml

CASES = {
    "as shipped": {},
    "with Postgres": {
        "replicas": 3,
        "publicUrl": "https://ask.example",
        "trustedKeys": ["one", "other"],
        "database": {"existingSecret": "database"},
        "attachments": "s3://bucket/handraise",
        "settings": {"HANDRAISE_TIMEOUT_QUESTION": "1800"},
        "secretSettings": "slack",
        "ingress": {"enabled": True, "className": "nginx", "host": "ask.example", "tlsSecret": "tls"},
    },
}


def objects(chart, values):
    rendered = helm_python.Chart.load(chart).render(values, name="ask", namespace="agents")
    texts = [text for name, text in rendered.items() if name.endswith(".yaml")]
    return {it["kind"]: it for text in texts for it in yaml.safe_load_all(text) if it}


def main(chart):
    for name, values in CASES.items():
        linted = helm_python.lint(chart, values, strict=True)
        faults = [it for it in linted.get("messages") or [] if "icon is recommended" not in str(it)]
        assert not faults, (name, faults)
        made = objects(chart, values)
        wanted = {"StatefulSet", "Service"} | ({"Ingress"} if values else set())
        assert set(made) == wanted, (name, sorted(made))
        pod = made["StatefulSet"]["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        said = {it["name"]: it for it in container["env"]}
        if values:
            assert said["HANDRAISE_DATABASE_URL"]["valueFrom"]["secretKeyRef"]["name"] == "database"
            assert said["HANDRAISE_TRUSTED_KEYS"]["value"] == "one,other"
        selector = made["Service"]["spec"]["selector"]
        labels = made["StatefulSet"]["spec"]["template"]["metadata"]["labels"]
        assert selector.items() <= labels.items()
    try:
        objects(chart, {"replicas": 2})
    except helm_python.HelmError as error:
        assert "database.existingSecret" in str(error), error
    else:
        raise AssertionError("several pods on one SQLite file are rendered")


main(sys.argv[1])
