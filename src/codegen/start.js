/**
 * Starts `main.ts`, for `npm run generate`. The generator is bundled first, without its libraries, because a loader for
 * TypeScript takes longer to load its files one by one. It is plain JavaScript, because at this point nothing can run
 * TypeScript.
 */
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, stop } from 'esbuild';

/** Files find others beside them by their URL, which would be that of the bundle. */
const ownUrls = {
  name: 'own URLs',
  /** @param {import('esbuild').PluginBuild} plugin */
  setup(plugin) {
    plugin.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)), loader: 'ts' };
    });
  },
};

// In the checkout, where the bundle finds the libraries.
const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));
await mkdir(cache, { recursive: true });
const folder = await mkdtemp(join(cache, 'generator-'));
process.on('exit', () => {
  rmSync(folder, { recursive: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1)); // which calls the above
await build({
  entryPoints: [fileURLToPath(new URL('main.ts', import.meta.url))],
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true, // so that what only a change needs is loaded only then
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  logLevel: 'warning',
  plugins: [ownUrls],
});
await stop(); // the process of esbuild would outlive this one for a moment
await import(pathToFileURL(join(folder, 'main.mjs')).href);
