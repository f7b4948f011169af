/**
 * `npm run build` makes `dist/`, which is what runs: the sources without their types, the generated files, the
 * migrations, the script of the API reference, and GraphiQL.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { build } from 'esbuild';
import { buildGraphiql } from './graphql/build-graphiql.js';

const output = 'dist';

await rm(output, { recursive: true, force: true });
await Promise.all([compile(), copyFiles(), copyReferenceScript(), buildGraphiql(`${output}/graphiql`)]);

/** Takes the types away, file by file; `tsc` checks them elsewhere. */
async function compile(): Promise<void> {
  const sources = (await filesBelow('src')).filter((file) => file.endsWith('.ts') && !file.startsWith('src/codegen/'));
  const generated = (await filesBelow('generated')).filter((file) => /(?<!\.d)\.(ts|js)$/.test(file));
  await build({
    entryPoints: [...sources, ...generated],
    outdir: output,
    outbase: '.',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
  });
}

async function copyFiles(): Promise<void> {
  const copied = [...(await filesBelow('src')), ...(await filesBelow('generated'))].filter((file) =>
    /\.(sql|json|yaml|graphql)$/.test(file),
  );
  for (const file of copied) await cp(file, `${output}/${file}`);
}

/**
 * The script of the API reference is served from here, so that no page loads anything from elsewhere. Redoc would fetch
 * the logo of its makers from their servers: a picture that is empty is quietly left out instead.
 */
async function copyReferenceScript(): Promise<void> {
  const script = await readFile(createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js'), 'utf8');
  await mkdir(`${output}/docs`, { recursive: true });
  await writeFile(
    `${output}/docs/redoc.standalone.js`,
    script.replaceAll('https://cdn.redoc.ly/redoc/logo-mini.svg', 'data:,'),
  );
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => `${entry.parentPath}/${entry.name}`);
}
