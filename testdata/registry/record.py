#!/usr/bin/env python3
"""Asks a registry all that the API can be asked about the catalog beside this file, and prints the answers.

    opm serve testdata/registry/catalog --port 50051 &
    python3 testdata/registry/record.py localhost:50051 > testdata/registry/answers.jsonl

Each line is a question and its answer: the method, the texts in the fields of the request, metadata of the call, the code and
text of the status, and the messages in base64. Messages whose order opm leaves open are sorted.
"""

import base64
import json
import sys

import grpc

CHANNEL = grpc.insecure_channel(sys.argv[1])
REGISTRY = "/api.Registry/"
EXPERIMENTAL = "/api.ExperimentalRegistry/ExperimentalListPackageCustomSchemas"
UNORDERED = {"ListPackages", "GetChannelEntriesThatReplace", "GetChannelEntriesThatProvide", "GetLatestChannelEntriesThatProvide"}
STREAMS = UNORDERED | {"ListBundles", "ExperimentalListPackageCustomSchemas"}


def request(fields):
    """A message with texts in its fields 1, 2, 3."""
    content = b""
    for number, text in enumerate(fields, 1):
        data = text.encode()
        if data:
            content += bytes([number << 3 | 2, len(data)]) + data
    return content


def ask(path, fields=(), metadata=()):
    method = path.rsplit("/", 1)[1]
    same = {"request_serializer": lambda data: data, "response_deserializer": lambda data: data}
    code, text, messages = 0, "", []
    try:
        if method in STREAMS:
            messages = list(CHANNEL.unary_stream(path, **same)(request(fields), metadata=metadata))
        else:
            messages = [CHANNEL.unary_unary(path, **same)(request(fields), metadata=metadata)]
    except grpc.RpcError as error:
        code, text = error.code().value[0], error.details()
    if method in UNORDERED:
        messages.sort()
    line = {"path": path, "fields": list(fields), "metadata": dict(metadata), "code": code, "text": text}
    line["messages"] = [base64.b64encode(message).decode() for message in messages]
    print(json.dumps(line))


PACKAGES = ["lamp", "oil", "none", ""]
CHANNELS = ["stable", "alpha", "Zulu", "none", ""]
BUNDLES = ["lamp.v0.9.0", "lamp.v1.0.0", "lamp.v1.0.1", "lamp.v1.1.0", "lamp.v1.2.0", "lamp.v2.0.0-rc.1", "oil.v1.0.0", "oil.v1.1.0", "none", ""]
KINDS = [
    ("lamp.io", "v1", "Lamp"), ("lamp.io", "v1", "Lamp", "lamps"), ("lamp.io", "v1beta1", "Lamp"), ("lamp.io", "v2", "Lamp"),
    ("oil.io", "v1", "Oil"), ("oil.io", "v2", "Oil"), ("", "", ""), ("lamp.io", "", ""),
]

ask(REGISTRY + "ListPackages")
ask(REGISTRY + "ListBundles")
for package in PACKAGES:
    ask(REGISTRY + "GetPackage", [package])
for package in PACKAGES:
    for channel in CHANNELS:
        ask(REGISTRY + "GetBundleForChannel", [package, channel])
        for bundle in BUNDLES:
            ask(REGISTRY + "GetBundle", [package, channel, bundle])
            ask(REGISTRY + "GetBundleThatReplaces", [bundle, package, channel])
for bundle in BUNDLES:
    ask(REGISTRY + "GetChannelEntriesThatReplace", [bundle])
for kind in KINDS:
    for method in ["GetChannelEntriesThatProvide", "GetLatestChannelEntriesThatProvide", "GetDefaultBundleThatProvides"]:
        ask(REGISTRY + method, kind)
known = [("x-acknowledge-experimental", "true")]
for fields in [
    ("lamp.io.wick", "lamp"), ("lamp.io.wick", "oil"), ("lamp.io.wick", ""), ("lamp.io.global", ""), ("none", "lamp"), ("", "lamp"),
    ("olm.bundle", "lamp"), ("a b", "lamp"), ("lamp.io.wick", "a b"),
]:
    ask(EXPERIMENTAL, fields, known)
ask(EXPERIMENTAL, ("lamp.io.wick", "lamp"))
ask(EXPERIMENTAL, ("lamp.io.wick", "lamp"), [("x-acknowledge-experimental", "yes")])
ask("/grpc.health.v1.Health/Check")
ask("/grpc.health.v1.Health/Check", ["api.Registry"])
ask(REGISTRY + "None")
