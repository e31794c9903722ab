// Starts the language server, shows the upgrade graph, and shows the pages of rules.
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

import { graphPage, type Graph } from "./graph";
import { iconCommand, iconPage, isIcon } from "./icon";
import { documentSelector, RULE_SCHEME, ruleOf, serverOptions } from "./settings";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("fbc.restart", restart),
    vscode.commands.registerCommand("fbc.showGraph", showGraph),
    vscode.commands.registerCommand("fbc.showIcon", showIcon),
    vscode.workspace.registerTextDocumentContentProvider(RULE_SCHEME, { provideTextDocumentContent: rulePage }),
  );
  await restart();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function restart(): Promise<void> {
  await client?.stop();
  const program = vscode.workspace.getConfiguration("fbc").get<string>("path", "fbc");
  client = new LanguageClient("fbc", "fbc", serverOptions(program), {
    documentSelector,
    initializationOptions: { rulePages: `${RULE_SCHEME}:/` },
    middleware: {
      provideDocumentLinks: async (document, token, next) => {
        const links = await next(document, token);
        for (const link of links ?? []) {
          const target = link.target?.toString(true) ?? "";
          if (isIcon(target)) {
            link.target = vscode.Uri.parse(iconCommand(target), true);
          }
        }
        return links;
      },
      // The verdict stands in the code lens; the timeline is worth a look of its own.
      executeCommand: async (command, args, next) => {
        const run: { text?: string } | undefined = await next(command, args);
        if (command === "fbc.simulate" && run?.text) {
          client?.outputChannel.appendLine(run.text);
          client?.outputChannel.show(true);
        }
        return run;
      },
    },
  });
  try {
    await client.start();
  } catch (error) {
    const message = `${program} could not be started: ${error instanceof Error ? error.message : String(error)}`;
    await vscode.window.showErrorMessage(`${message}. Install fbc, or name the program in the setting fbc.path.`);
  }
}

async function rulePage(uri: vscode.Uri): Promise<string> {
  const page: string | null | undefined = await client?.sendRequest("fbc/rule", { code: ruleOf(uri.path) });
  return page ?? "There is no such rule.";
}

async function showGraph(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!client || !editor) {
    return;
  }
  const graph: Graph | null = await client.sendRequest("fbc/graph", {
    textDocument: { uri: editor.document.uri.toString() },
    position: editor.selection.active,
    format: "html",
  });
  if (!graph) {
    await vscode.window.showInformationMessage("There is no package of a catalog here.");
    return;
  }
  const panel = vscode.window.createWebviewPanel(
    "fbc.graph",
    `Upgrade graph of ${graph.package}`,
    vscode.ViewColumn.Beside,
    { enableScripts: true, localResourceRoots: [] },
  );
  panel.webview.html = graphPage(graph);
}

function showIcon(target: string): void {
  const panel = vscode.window.createWebviewPanel("fbc.icon", "Icon", vscode.ViewColumn.Beside, {
    enableScripts: false,
    localResourceRoots: [],
  });
  panel.webview.html = iconPage(target);
}
