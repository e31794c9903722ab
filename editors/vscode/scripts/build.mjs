// Bundles the extension into one file, and copies the schemas that it registers.
import { build } from "esbuild";
import { cp, rm } from "node:fs/promises";

await rm("out", { recursive: true, force: true });
await rm("schemas", { recursive: true, force: true });
await build({
  entryPoints: ["src/extension.ts"],
  bundle: true,
  minify: true,
  platform: "node",
  target: "node18",
  external: ["vscode"],
  outfile: "out/extension.js",
});
await cp("../../schemas", "schemas", { recursive: true });
