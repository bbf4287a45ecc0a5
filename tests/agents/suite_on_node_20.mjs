// The conformance suite names `globSync` of Node 22 in an import, and no scenario for servers calls it.
import { register } from "node:module";

const inline = (code) => `data:text/javascript,${encodeURIComponent(code)}`;
const files = inline(`
  export * from "node:fs";
  export { default } from "node:fs";
  export const globSync = undefined;
`);
register(inline(`
  export const resolve = (name, context, next) =>
    name === "fs" && context.parentURL.endsWith("/conformance/dist/index.js")
      ? { url: ${JSON.stringify(files)}, shortCircuit: true }
      : next(name, context);
`));
