/**
 * `npm run build` creates `dist/`, which is what runs: the compiled sources, the generated files, the migrations, the
 * script of the API reference, GraphiQL, and the web console.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions } from 'esbuild';
import { buildConsole } from './build-console.js';
import { compileSchemas } from './compile-schemas.js';
import { buildGraphiql } from './graphql/build-graphiql.js';
import { precompress } from './precompress.js';

const output = 'dist';
const require = createRequire(import.meta.url);

const common = {
  outdir: output,
  outbase: '.',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/**
 * Packages bundled with the compose tool, and the file that each import resolves to. `yaml` consists of many small
 * files, most of which every command needs. The SDK is bundled so that the packed server needs no other package of this
 * repository.
 */
const BUNDLED: Readonly<Record<string, string>> = {
  yaml: require.resolve('yaml'),
  'openapi-fetch': fileURLToPath(import.meta.resolve('openapi-fetch')),
  '@plumbline/sdk': path.resolve('sdk/src/index.ts'),
  '@plumbline/sdk/compose': path.resolve('sdk/src/compose.ts'),
  '@plumbline/sdk/compose/node': path.resolve('sdk/src/compose/node.ts'),
};

/** Third-party packages among them: their licences are shipped with their code. */
const LICENSED = ['yaml', 'openapi-fetch'];

await compileSchemas();
await rm(output, { recursive: true, force: true });
await Promise.all([
  compile(),
  bundleCompose(),
  copyFiles(),
  copyReferenceScript(),
  buildGraphiql(`${output}/graphiql`),
  buildConsole(`${output}/console`),
]);

/** Removes the types, file by file; `tsc` checks them separately. */
async function compile(): Promise<void> {
  const sources = (await filesBelow('src')).filter((file) =>
    /^src\/(?!codegen|compose|console).*\.(ts|js)$/.test(file),
  );
  const generated = (await filesBelow('generated')).filter((file) => /(?<!\.d)\.(ts|js)$/.test(file));
  await build({ ...common, entryPoints: [...sources, ...generated] });
}

/**
 * Bundles the compose tool into a few files, with lazily loaded code in separate files. Finding and reading two hundred
 * files takes longer than most commands, and people wait for a command line.
 */
async function bundleCompose(): Promise<void> {
  await build({
    ...common,
    entryPoints: ['src/compose/cli/register.ts', 'src/compose/service/projects/loading-worker.ts'],
    bundle: true,
    splitting: true,
    // The location of `serve` in the sources, which finds the contract and the reference's script from there.
    chunkNames: 'src/compose/cli/commands/[name]-[hash]',
    packages: 'external',
    plugins: [
      {
        name: 'bundle packages',
        setup: ({ onResolve }) => {
          onResolve({ filter: /^(yaml|openapi-fetch|@plumbline\/sdk)/ }, ({ path: name }) => {
            const file = BUNDLED[name];
            return file === undefined ? { errors: [{ text: `build.ts does not list ${name}` }] } : { path: file };
          });
        },
      },
    ],
    // For bundled code that calls `require` for Node's modules.
    banner: {
      js: "import { createRequire as requireAt } from 'node:module';\nconst require = requireAt(import.meta.url);",
    },
  });
  for (const name of LICENSED) {
    await cp(`node_modules/${name}/LICENSE`, `${output}/src/compose/cli/${name}.LICENSE`);
  }
}

async function copyFiles(): Promise<void> {
  const copied = [...(await filesBelow('src')), ...(await filesBelow('generated'))].filter((file) =>
    /^(?!src\/console).*\.(sql|json|yaml|graphql)$/.test(file),
  );
  for (const file of copied) await cp(file, `${output}/${file}`);
  const contracts = copied.filter((file) => file.endsWith('/openapi.json'));
  await Promise.all(contracts.map((file) => precompress(`${output}/${file}`)));
}

/**
 * Copies the script of the API reference, so that pages load nothing from other origins. Redoc would fetch the logo of
 * its makers from their servers; an empty picture is omitted instead.
 */
async function copyReferenceScript(): Promise<void> {
  const script = await readFile(require.resolve('redoc/bundles/redoc.standalone.js'), 'utf8');
  await mkdir(`${output}/docs`, { recursive: true });
  const file = `${output}/docs/redoc.standalone.js`;
  await writeFile(file, script.replaceAll('https://cdn.redoc.ly/redoc/logo-mini.svg', 'data:,'));
  await precompress(file);
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => `${entry.parentPath}/${entry.name}`);
}
