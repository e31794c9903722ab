// The page that shows an upgrade graph.

/** The answer of the server to `fbc/graph`. */
export interface Graph {
  package: string;
  format: "svg" | "html" | "json";
  content: string;
}

/** The page as it comes from the server; a picture gets a page around it that runs nothing. */
export function graphPage(graph: Graph): string {
  if (graph.format === "html") {
    return graph.content;
  }
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  return `<!DOCTYPE html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"></head><body>${graph.content}</body></html>`;
}
