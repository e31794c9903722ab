// What the server is started with, and which files it sees. Nothing here needs an editor.

/** The scheme of the pages of rules, which links of diagnostics lead to. */
export const RULE_SCHEME = "fbc-rule";

/** The code of a rule from the path of its page. */
export function ruleOf(path: string): string {
  return path.replace(/^\//, "").replace(/\.md$/, "");
}

/** How the server is started: over standard input and output. */
export function serverOptions(program: string): { command: string; args: string[] } {
  return { command: program, args: ["lsp"] };
}

/** The files that the server looks at; it tells catalogs from others itself. */
export const documentSelector = [
  { scheme: "file", language: "yaml" },
  { scheme: "file", language: "json" },
  { scheme: "file", pattern: "**/fbc.toml" },
];
