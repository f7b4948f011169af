/**
 * `npm run build` creates what runs: `dist/` with the product, and `src/<package>/dist/` with each package that it depends
 * on. With `--with-sdk` it also builds the SDK. With `--output <folder>` it writes the product to `<folder>/dist` and the
 * packages to `<folder>/node_modules`, where Node.js finds them first. With `--package <name>` it builds that package and
 * its declarations alone, as it is packed.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { declarePackage, packages } from './build-packages.js';
import { buildProduct } from './build-product.js';
import { compileSchemas } from '../emit/compile-schemas.js';

type PackageName = keyof typeof packages;

/** The packages without which the product does not run. */
const ofProduct = ['contract', 'contract-tools', 'compose'] as const;

const { values: options } = parseArgs({
  options: {
    'with-sdk': { type: 'boolean', default: false },
    output: { type: 'string' },
    package: { type: 'string' },
  },
});

await compileSchemas();
if (options.package !== undefined) await buildPackage(packageNamed(options.package), { withDeclarations: true });
else await Promise.all([buildAll(), options['with-sdk'] ? buildSdk() : null]);

async function buildAll(): Promise<void> {
  const output = join(options.output ?? '.', 'dist');
  await rm(output, { recursive: true, force: true });
  await Promise.all([
    buildProduct(output),
    ...ofProduct.map((name) => buildPackage(name, { withDeclarations: name === 'contract-tools' })),
  ]);
  // Both servers have the same console.
  await cp(join(folderOf('compose'), 'dist/console'), join(output, 'console'), { recursive: true });
}

async function buildPackage(name: PackageName, { withDeclarations }: { withDeclarations: boolean }): Promise<void> {
  const folder = folderOf(name);
  const output = join(folder, 'dist');
  await rm(output, { recursive: true, force: true });
  if (options.output !== undefined) {
    await mkdir(folder, { recursive: true });
    for (const file of ['package.json', 'README.md', 'LICENSE']) await cp(`src/${name}/${file}`, join(folder, file));
  }
  await packages[name].build(output);
  if (withDeclarations) await declarePackage(name, output);
}

/** Where Node.js finds a package: the folder of its sources, to which npm links, or one beside the output. */
function folderOf(name: PackageName): string {
  return options.output === undefined ? `src/${name}` : join(options.output, 'node_modules/@plumbline', name);
}

function packageNamed(name: string): PackageName {
  if (name in packages) return name as PackageName; // a key of this object
  throw new Error(`There is no package ${name}. There are ${Object.keys(packages).join(', ')}.`);
}

/** Builds the SDK in another process at the same time. */
async function buildSdk(): Promise<void> {
  const builder = fork('sdk/build.js', { execArgv: [] });
  await once(builder, 'exit');
  if (builder.exitCode !== 0) throw new Error('The build of the SDK failed');
}
