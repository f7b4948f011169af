import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { precompress } from './precompress.js';

/** Evergreen browsers, as of 2024. */
const browsers = ['chrome123', 'edge123', 'firefox125', 'safari17.5'];

/**
 * Builds the web console: `<folder>/index.html`, the page of `compose serve` as `<folder>/containers.html`, and, in
 * `<folder>/assets`, scripts, styles and the icon. Their names contain a hash of their content, and each is also
 * compressed with gzip and brotli.
 *
 * @param folder relative to the repository's root
 */
export async function buildConsole(folder: string): Promise<void> {
  const { metafile } = await build({
    entryPoints: {
      console: 'src/console/main.tsx',
      containers: 'src/console/containers/main.tsx',
      icon: 'src/console/icon.svg',
    },
    outdir: `${folder}/assets`,
    tsconfig: 'src/console/tsconfig.json',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: browsers,
    minify: true,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.svg': 'copy' },
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'eof',
    metafile: true,
    logLevel: 'warning',
  });
  const files = Object.keys(metafile.outputs);
  await Promise.all(files.map(precompress));

  const fileOf = (pattern: RegExp): string => {
    const found = files.map((file) => basename(file)).filter((name) => pattern.test(name));
    if (found.length !== 1 || found[0] === undefined) {
      throw new Error(`The build of the console has ${found.length} files that match ${String(pattern)}`);
    }
    return found[0];
  };
  const writePage = async (name: string, source: string, main: string, script: RegExp): Promise<void> => {
    const [entry] = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint === main);
    const preloaded = (entry?.imports ?? []).filter(({ kind }) => kind === 'import-statement');
    const page = (await readFile(source, 'utf8'))
      .replace('{{script}}', fileOf(script))
      .replace('{{style}}', fileOf(/^console-\w+\.css$/))
      .replace('{{containers-style}}', fileOf(/^containers-\w+\.css$/))
      .replace('{{icon}}', fileOf(/^icon-\w+\.svg$/))
      .replace('{{preloads}}', preloaded.map(({ path }) => preloadOf(basename(path))).join('\n    '));
    await writeFile(`${folder}/${name}`, page);
  };
  await writePage('index.html', 'src/console/index.html', 'src/console/main.tsx', /^console-\w+\.js$/);
  const containers = 'src/console/containers';
  await writePage('containers.html', `${containers}/index.html`, `${containers}/main.tsx`, /^containers-\w+\.js$/);
  await copyFile('src/console/icon.svg', `${folder}/icon.svg`); // under the name that /favicon.ico is served from
}

/** Lets the browser fetch the script's imports without reading the script first. */
function preloadOf(name: string): string {
  return `<link rel="modulepreload" href="/console/assets/${name}" />`;
}
