import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { precompress } from './precompress.js';

/**
 * Bundles GraphiQL and its styles into `<folder>/graphiql.js` and `.css`, for `GET /graphql`.
 *
 * @param folder relative to the repository's root
 */
export async function buildGraphiql(folder: string): Promise<void> {
  await build({
    entryPoints: { graphiql: fileURLToPath(new URL('./graphiql-app.js', import.meta.url)) },
    outdir: folder,
    bundle: true,
    minify: true,
    // A module, for its top-level await; it imports nothing at run time.
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.woff': 'dataurl', '.woff2': 'dataurl', '.ttf': 'dataurl', '.svg': 'dataurl' },
    legalComments: 'eof',
    logLevel: 'warning',
  });
  await Promise.all(['js', 'css'].map((extension) => precompress(`${folder}/graphiql.${extension}`)));
}
