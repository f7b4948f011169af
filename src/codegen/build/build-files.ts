/** What the builds of the product and of the packages share. */
import { execFile } from 'node:child_process';
import { cp, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { BuildOptions, Plugin } from 'esbuild';
import { precompress } from './precompress.js';

const require = createRequire(import.meta.url);

/** The options of all files that Node.js runs. Their paths below `dist/` are those of the sources. */
export const common = {
  outbase: '.',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** For bundled code that calls `require` for Node's modules. */
export const requireBanner = {
  js: "import { createRequire as requireAt } from 'node:module';\nconst require = requireAt(import.meta.url);",
};

/** Bundles the contract runtime from its sources, into files that have to start fast. */
export const contractSources: Plugin = {
  name: 'contract runtime',
  setup({ onResolve }) {
    onResolve({ filter: /^@plumbline\/contract\// }, ({ path }) => ({
      path: resolve(path.replace('@plumbline', 'src') + '.ts'),
    }));
  },
};

/** Leaves out modules that are imported dynamically. @param filter of their names */
export function withoutDynamicImports(filter: RegExp): Plugin {
  return {
    name: 'without dynamic imports',
    setup({ onResolve }) {
      onResolve({ filter }, ({ kind, path: name }) =>
        kind === 'dynamic-import' ? { path: name, external: true } : undefined,
      );
    },
  };
}

/** Lists the files of a folder of sources, without what was built or installed in it. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .filter((file) => !/\/(?:dist|node_modules)\//.test(file));
}

/** The modules of a folder that become one file each. */
export async function modulesBelow(folder: string): Promise<string[]> {
  return (await filesBelow(folder)).filter((file) => /(?<!\.d)\.(?:ts|js)$/.test(file));
}

/** Copies the files that modules read at run time. Contracts are also compressed. */
export async function copyData(files: readonly string[], output: string): Promise<void> {
  const isRead = (file: string): boolean =>
    file === 'src/analytics/FIGURES.md' || /\.(?:sql|json|yaml|graphql)$/.test(file);
  const copied = files.filter((file) => isRead(file) && !file.endsWith('/package.json'));
  for (const file of copied) await cp(file, `${output}/${file}`);
  const contracts = copied.filter((file) => file.endsWith('/openapi.json'));
  await Promise.all(contracts.map((file) => precompress(`${output}/${file}`)));
}

/** Writes the declarations of some modules and of those that they import. The sources are checked elsewhere. */
export async function declare(modules: readonly string[], output: string): Promise<void> {
  const compiler = join(dirname(require.resolve('typescript-7/package.json')), 'bin/tsc');
  const environment = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--skipLibCheck'];
  const emit = ['--declaration', '--emitDeclarationOnly', '--rootDir', '.', '--outDir', output];
  const alone = ['--ignoreConfig', '--noCheck', '--customConditions', '@plumbline/source'];
  await promisify(execFile)(process.execPath, [compiler, ...alone, ...environment, ...emit, ...modules]);
}
