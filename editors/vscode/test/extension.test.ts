// The parts that need no editor, and the server itself over standard input and output.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";

import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";

import { graphPage, type Graph } from "../src/graph";
import { iconCommand, iconPage, isIcon, SHOW_ICON } from "../src/icon";
import { documentSelector, ruleOf, serverOptions } from "../src/settings";

test("rules and their pages", () => {
  assert.equal(ruleOf("/FBC018.md"), "FBC018");
});

test("a picture gets a page that runs nothing", () => {
  const page = graphPage({ package: "foo", format: "svg", content: "<svg/>" });
  assert.match(page, /default-src 'none'/);
  assert.match(page, /<svg\/>/);
  assert.equal(graphPage({ package: "foo", format: "html", content: "<p>" }), "<p>");
});

test("icons are shown without a browser, and nothing else is", () => {
  const icon = "data:image/svg+xml;base64,PHN2Zy8+";
  assert.ok(isIcon(icon));
  assert.equal(decodeURIComponent(iconCommand(icon)), `command:${SHOW_ICON}?["${icon}"]`);
  assert.match(iconPage(icon), /img-src data:.*<img alt="icon" width="256" src="data:image\/svg/);
  for (const target of ["https://example.com/", "data:text/html;base64,PGI+", 'data:image/png;base64,"><b>']) {
    assert.ok(!isIcon(target), target);
    assert.doesNotMatch(iconPage(target), /<img|<b>/);
  }
});

test("every schema that the manifest names is there", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8"));
  const { jsonValidation, yamlValidation, tomlValidation } = manifest.contributes;
  for (const { url } of [...jsonValidation, ...yamlValidation, ...tomlValidation]) {
    assert.ok(existsSync(resolve("../..", url)), url);
  }
});

test("the manifest names what the code registers", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8"));
  const commands = manifest.contributes.commands.map((command: { command: string }) => command.command);
  const code = readFileSync("src/extension.ts", "utf8");
  const registered = Array.from(code.matchAll(/registerCommand\("([^"]+)"/g), (match) => match[1]);
  assert.ok(registered.length > 0);
  assert.deepEqual([...commands].sort(), registered.sort());
});

test("the extension starts for every file that the server looks at", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8"));
  const events = documentSelector.map(({ language, pattern }) =>
    language ? `onLanguage:${language}` : `workspaceContains:${pattern}`,
  );
  assert.deepEqual(manifest.activationEvents, events);
});

const program = process.env.FBC;

test("the server answers", { skip: program ? false : "skipped: FBC names no program" }, async () => {
  const { command, args } = serverOptions(program ?? "");
  const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const connection = createMessageConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  connection.onRequest("workspace/inlayHint/refresh", () => null);
  connection.listen();
  const folder = resolve("../../testdata/sample-catalog");
  await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: {},
    initializationOptions: { rulePages: "fbc-rule:/" },
  });
  await connection.sendNotification("initialized", {});
  const file = resolve(folder, "lighthouse-operator/catalog.yaml");
  const uri = pathToFileURL(file).href;
  const text = readFileSync(file, "utf8");
  await connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "yaml", version: 1, text },
  });
  const position = { line: text.split("\n").findIndex((line) => line.startsWith("schema: olm.package")), character: 0 };
  const graph: Graph = await connection.sendRequest("fbc/graph", { textDocument: { uri }, position, format: "html" });
  assert.equal(graph.package, "lighthouse-operator");
  assert.match(graphPage(graph), /<svg/);
  const page: string = await connection.sendRequest("fbc/rule", { code: ruleOf("/GRF003.md") });
  assert.match(page, /stranded/);
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  const code = await new Promise((done) => server.on("exit", done));
  assert.equal(code, 0);
  connection.dispose();
});
