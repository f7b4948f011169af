import { build, type Plugin } from 'esbuild';
import type { SchemaObject } from '../read/openapi-document.js';

/** The name by which compiled schemas refer to their document. */
export const contractId = 'contract';

/** Schemas are compiled outside their document, so their local pointers must name it. */
export function withAbsolutePointers(schema: SchemaObject): SchemaObject {
  const rewritten: unknown = JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' && value.startsWith('#/') ? `${contractId}${value}` : value,
  );
  return typeof rewritten === 'object' && rewritten !== null ? { ...rewritten } : {};
}

/**
 * Creates one ES module of compiled code. It bundles everything that the code requires from the compiler's library, so
 * that the server does not depend on the compiler.
 *
 * @param entry the module's text
 * @param modules texts of the modules that the entry imports as `compiled:<name>`
 */
export async function standaloneModule(
  entry: string,
  modules: ReadonlyMap<string, string> = new Map(),
): Promise<string> {
  const compiled: Plugin = {
    name: 'compiled',
    setup(plugin) {
      plugin.onResolve({ filter: /^compiled:/ }, ({ path }) => ({ path: path.slice(9), namespace: 'compiled' }));
      plugin.onLoad({ filter: /.*/, namespace: 'compiled' }, ({ path }) => ({
        contents: modules.get(path) ?? '',
        loader: 'js',
        resolveDir: process.cwd(),
      }));
    },
  };
  const result = await build({
    stdin: { contents: entry, resolveDir: process.cwd(), sourcefile: 'entry.js' },
    plugins: [compiled],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    legalComments: 'none',
    charset: 'utf8',
  });
  const [file] = result.outputFiles;
  if (file === undefined) throw new Error('esbuild produced no output');
  return file.text;
}
