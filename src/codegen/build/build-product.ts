import { cp } from 'node:fs/promises';
import { build } from 'esbuild';
import { buildReferences } from './build-reference.js';
import { common, contractSources, copyData, filesBelow, requireBanner, withoutDynamicImports } from './build-files.js';
import { buildGraphiql } from './build-graphiql.js';

/** The folders of `src/` that are the product; the others are packages. */
const folders = ['src/analytics', 'src/cli', 'src/database', 'src/platform', 'src/sync'];

/** Builds `plumbline` into a folder, apart from the pages that it shares with the compose tool. */
export async function buildProduct(outdir: string): Promise<void> {
  const [sources, generated] = await Promise.all([
    Promise.all(folders.map(filesBelow)).then((lists) => lists.flat()),
    filesBelow('generated').then((files) => files.filter((file) => !file.startsWith('generated/compose/'))),
  ]);
  const bundled = /^src\/cli\/(?:main|sdk|mcp\/protocol)\.ts$/;
  const modules = [...sources, ...generated].filter((file) => /(?<!\.d)\.(?:ts|js)$/.test(file) && !bundled.test(file));
  await Promise.all([
    build({ ...common, outdir, entryPoints: modules }),
    bundleEntry(outdir),
    bundleSdk(outdir),
    bundleMcp(outdir),
    copyData([...sources, ...generated], outdir),
    buildGraphiql(`${outdir}/graphiql`),
    buildReferences(['platform'], `${outdir}/docs`),
  ]);
}

/** The command line's entry, which loads either the compose tool or ES modules. */
async function bundleEntry(outdir: string): Promise<void> {
  await build({
    ...common,
    entryPoints: ['src/cli/main.ts'],
    outfile: `${outdir}/src/cli/main.cjs`,
    bundle: true,
    format: 'cjs',
    packages: 'external',
    define: { 'import.meta.filename': '__filename' },
    plugins: [contractSources, withoutDynamicImports(/^\./)],
  });
}

/** Bundles the SDK for the commands. */
async function bundleSdk(outdir: string): Promise<void> {
  await build({ ...common, outdir, entryPoints: ['src/cli/sdk.ts'], bundle: true });
  await cp('node_modules/openapi-fetch/LICENSE', `${outdir}/src/cli/openapi-fetch.LICENSE`);
}

/** Bundles the server's part of the SDK of MCP: one file instead of 31 packages, most of which are for clients. */
async function bundleMcp(outdir: string): Promise<void> {
  await build({
    ...common,
    outdir,
    entryPoints: ['src/cli/mcp/protocol.ts'],
    bundle: true,
    minify: true,
    sourcemap: false,
    external: ['ajv', 'ajv-formats'],
    banner: requireBanner,
  });
  await cp('node_modules/@modelcontextprotocol/sdk/LICENSE', `${outdir}/src/cli/mcp/protocol.LICENSE`);
}
