/**
 * `npm run build` creates `dist/`, which is what runs: the compiled sources, the generated files, the migrations, the
 * API references, GraphiQL, and the web console. With `--with-sdk` it also builds the SDK. With
 * `--output <folder>` it writes to another folder.
 */
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { build, type BuildOptions } from 'esbuild';
import { buildConsole } from './build-console.js';
import { buildReferences } from './build-reference.js';
import { bundleCompose, requireBanner } from './bundle-compose.js';
import { compileSchemas } from './compile-schemas.js';
import { buildGraphiql } from './graphql/build-graphiql.js';
import { precompress } from './precompress.js';

const { values: options } = parseArgs({
  options: {
    'with-sdk': { type: 'boolean', default: false },
    output: { type: 'string', default: 'dist' },
  },
});
const { output } = options;
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

await Promise.all([buildServer(), options['with-sdk'] ? buildSdk() : null]);

async function buildServer(): Promise<void> {
  await compileSchemas();
  await rm(output, { recursive: true, force: true });
  await Promise.all([
    compile(),
    declareExports(),
    bundleCompose(common),
    bundleOpenTelemetry(),
    bundleSdk(),
    bundleMcp(),
    copyFiles(),
    buildReferences(['platform', 'compose'], `${output}/docs`),
    buildGraphiql(`${output}/graphiql`),
    buildConsole(`${output}/console`),
  ]);
}

/** Builds the SDK in another process at the same time. */
async function buildSdk(): Promise<void> {
  const builder = fork('sdk/build.js', { execArgv: [] });
  await once(builder, 'exit');
  if (builder.exitCode !== 0) throw new Error('The build of the SDK failed');
}

/** Removes the types, file by file; `tsc` checks them separately. */
async function compile(): Promise<void> {
  const sources = (await filesBelow('src')).filter((file) =>
    /^src\/(?!codegen|compose|console|cli\/(main|sdk|mcp\/protocol)\.|system\/open-telemetry).*\.(ts|js)$/.test(file),
  );
  const generated = (await filesBelow('generated')).filter((file) => /(?<!\.d)\.(ts|js)$/.test(file));
  await build({ ...common, entryPoints: [...sources, ...generated] });
}

/** Writes the declarations of the modules that the package exports. They use no types of other modules. */
async function declareExports(): Promise<void> {
  const compiler = join(dirname(require.resolve('typescript-7/package.json')), 'bin/tsc');
  const modules = ['in-process', 'exchange'].map((name) => `src/contract-tools/gate/${name}.ts`);
  // Explicit types make it unnecessary to check, or even read, the other modules.
  const alone = ['--ignoreConfig', '--isolatedDeclarations', '--noCheck', '--noResolve', '--module', 'nodenext'];
  const emit = ['--declaration', '--emitDeclarationOnly', '--rootDir', '.', '--outDir', output];
  await promisify(execFile)(process.execPath, [compiler, ...alone, ...emit, ...modules]);
}

/**
 * Bundles the tracer with OpenTelemetry's SDK: one file of 0.3 MB instead of 13 packages of 27 MB, loaded only when
 * tracing is on.
 */
async function bundleOpenTelemetry(): Promise<void> {
  const entryPoints = ['src/contract/system/open-telemetry.ts'];
  await build({ ...common, entryPoints, bundle: true, minify: true, sourcemap: false, banner: requireBanner });
  await cp('node_modules/@opentelemetry/api/LICENSE', `${output}/src/system/opentelemetry.LICENSE`);
}

/** Bundles the SDK for the commands, so that the package needs no other package of this repository. */
async function bundleSdk(): Promise<void> {
  await build({ ...common, entryPoints: ['src/cli/sdk.ts'], bundle: true });
  await cp('node_modules/openapi-fetch/LICENSE', `${output}/src/cli/openapi-fetch.LICENSE`);
}

/** Bundles the server's part of the SDK of MCP: one file instead of 31 packages, most of which are for clients. */
async function bundleMcp(): Promise<void> {
  const entryPoints = ['src/cli/mcp/protocol.ts'];
  const external = ['ajv', 'ajv-formats'];
  await build({
    ...common,
    entryPoints,
    bundle: true,
    minify: true,
    sourcemap: false,
    external,
    banner: requireBanner,
  });
  await cp('node_modules/@modelcontextprotocol/sdk/LICENSE', `${output}/src/cli/mcp/protocol.LICENSE`);
}

async function copyFiles(): Promise<void> {
  const copied = [...(await filesBelow('src')), ...(await filesBelow('generated'))].filter((file) =>
    /^(?!src\/console).*\.(sql|json|yaml|graphql)$/.test(file),
  );
  for (const file of copied) await cp(file, `${output}/${file}`);
  const contracts = copied.filter((file) => file.endsWith('/openapi.json'));
  await Promise.all(contracts.map((file) => precompress(`${output}/${file}`)));
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => `${entry.parentPath}/${entry.name}`);
}
