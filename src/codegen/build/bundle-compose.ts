/** Bundles the compose tool. Finding, reading and compiling hundreds of files takes longer than most commands. */
import { createHash } from 'node:crypto';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { builtinModules, createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { contractSources, requireBanner, withoutDynamicImports } from './build-files.js';

const require = createRequire(import.meta.url);

/**
 * Packages in the bundles, and the file that each import resolves to. `yaml` consists of many small files, most of which
 * every command needs. The SDK is bundled for the same reason.
 */
const BUNDLED: Readonly<Record<string, string>> = {
  commander: require.resolve('commander'),
  yaml: require.resolve('yaml'),
  'openapi-fetch': fileURLToPath(import.meta.resolve('openapi-fetch')),
  '@plumbline/sdk': path.resolve('sdk/src/index.ts'),
  '@plumbline/sdk/compose': path.resolve('sdk/src/compose.ts'),
  '@plumbline/sdk/compose/node': path.resolve('sdk/src/compose/node.ts'),
};

/** Third-party packages among them: their licences are shipped with their code. */
const LICENSED = ['commander', 'yaml', 'openapi-fetch'];

/** Modules of Node.js that take time to load, and that many commands import without using them. */
const LOADED_ON_USE = new Set([
  'child_process',
  'crypto',
  'fs/promises',
  'http',
  'https',
  'module',
  'net',
  'stream',
  'stream/consumers',
  'stream/promises',
  'timers/promises',
]);

/** @param common the options of all files of `dist/` */
export async function bundleCompose(common: BuildOptions & { readonly outdir: string }): Promise<void> {
  await Promise.all([bundleEntries(common), bundleServer(common), bundleLoadingWorker(common), bundleCommands(common)]);
  for (const name of LICENSED) {
    await cp(`node_modules/${name}/LICENSE`, `${common.outdir}/src/compose/cli/${name}.LICENSE`);
  }
}

/** The entries of the command line, which load either `compose.cjs` or ES modules. */
async function bundleEntries(common: BuildOptions): Promise<void> {
  await build({
    ...common,
    entryPoints: ['src/compose/cli/main.ts', 'src/compose/cli/start.ts'],
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    packages: 'external',
    define: { 'import.meta.filename': '__filename' },
    plugins: [contractSources, withoutDynamicImports(/^\./)],
  });
}

/** `compose serve`: a few ES modules, with lazily loaded code in separate files. */
async function bundleServer(common: BuildOptions): Promise<void> {
  await build({
    ...common,
    entryPoints: ['src/compose/cli/program.ts'],
    bundle: true,
    splitting: true,
    // The location of `serve` in the sources, which finds the contract and the reference's script from there.
    chunkNames: 'src/compose/cli/commands/[name]-[hash]',
    packages: 'external',
    plugins: [bundledPackages(['commander'])],
    banner: requireBanner,
  });
}

/**
 * The script of the threads that load compose files, with its part of the contract runtime. A server that runs from the
 * sources uses it too, and its threads inherit the condition that would lead to sources.
 */
async function bundleLoadingWorker(common: BuildOptions): Promise<void> {
  await build({
    ...common,
    entryPoints: ['src/compose/service/projects/loading-worker.ts'],
    bundle: true,
    packages: 'external',
    plugins: [bundledPackages([]), contractSources],
    banner: requireBanner,
  });
}

/**
 * The other commands: one CommonJS file, which `runCached` runs. The first line is a hash of the rest, which is one
 * function, because copying it into one takes time.
 */
async function bundleCommands(common: BuildOptions & { readonly outdir: string }): Promise<void> {
  const { outdir, ...options } = common;
  const outfile = `${outdir}/src/compose/cli/compose.cjs`;
  const result = await build({
    ...options,
    entryPoints: ['src/compose/cli/program.ts'],
    outfile,
    bundle: true,
    format: 'cjs',
    packages: 'external',
    // What `runCached` runs cannot import: packages that are loaded on use are required.
    supported: { 'dynamic-import': false },
    // A source map would have to be shifted, and reading it takes longer than the commands.
    sourcemap: false,
    write: false,
    define: { 'import.meta.url': 'bundleUrl', 'import.meta.filename': '__filename' },
    banner: { js: "const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
    // `serve` is in this bundle for the help only.
    plugins: [bundledPackages([]), contractSources, withoutDynamicImports(/\/service\//), loadedOnUse()],
  });
  const [{ text } = { text: '' }] = result.outputFiles;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  await mkdir(path.dirname(outfile), { recursive: true });
  await writeFile(outfile, `// ${hash}\n(function (exports, require, module, __filename, __dirname) {\n${text}\n})`);
}

/** @param external packages that are not bundled although they could be */
function bundledPackages(external: readonly string[]): Plugin {
  return {
    name: 'bundle packages',
    setup({ onResolve }) {
      onResolve({ filter: /^(commander|yaml|openapi-fetch|@plumbline\/sdk)/ }, ({ path: name }) => {
        if (external.includes(name)) return undefined;
        const file = BUNDLED[name];
        return file === undefined ? { errors: [{ text: `bundle-compose.ts does not list ${name}` }] } : { path: file };
      });
    },
  };
}

/** Replaces modules of Node.js by objects that load them when a member is read. */
function loadedOnUse(): Plugin {
  return {
    name: 'load on use',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^node:/, namespace: 'file' }, ({ path: name }) => {
        const short = name.slice('node:'.length);
        if (!builtinModules.includes(short)) return { errors: [{ text: `${name} is not a module of Node.js` }] };
        return LOADED_ON_USE.has(short) ? { path: name, namespace: 'load-on-use' } : undefined;
      });
      onLoad({ filter: /.*/, namespace: 'load-on-use' }, ({ path: name }) => {
        const members = Object.keys(require(name) as object).filter((member) => member !== 'default');
        const getters = members.map((member) => `get ${member}() { return require('${name}').${member}; }`);
        return { contents: `module.exports = {\n${getters.join(',\n')}\n};`, loader: 'js' };
      });
    },
  };
}
