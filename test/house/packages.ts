import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** A package of this repository, and what its modules may import. */
export interface Package {
  readonly name: string;
  /** The folders of its modules. */
  readonly folders: readonly string[];
  /** The files of `generated/` that it is built with. */
  readonly generated: RegExp;
  /** The packages that its manifest names. */
  readonly named: ReadonlySet<string>;
  /** The subpaths that its manifest exports, as `./name` or `./*`. */
  readonly exported: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly workspaces?: readonly string[];
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The generated files of each package: those of its API, and those that all servers share. */
const generated: Readonly<Record<string, RegExp>> = {
  plumbline: /^generated\/(?!compose\/)/,
  '@plumbline/contract': /^generated\/contract\//,
  '@plumbline/compose': /^generated\/(?:compose\/|[^/]+$)/,
};

/** Reads the packages in `src/` and the product, which has the other folders of `src/`. */
export function readPackages(): readonly Package[] {
  const root = manifestIn('.');
  const inSources = (root.workspaces ?? []).filter((folder) => folder.startsWith('src/'));
  const others = readdirSync('src', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !inSources.includes(`src/${entry.name}`))
    .map(({ name }) => `src/${name}/`);
  return [
    packageOf(root, others),
    packageOf(manifestIn('sdk'), ['sdk/src/']),
    ...inSources.map((folder) => packageOf(manifestIn(folder), [`${folder}/`])),
  ];
}

function packageOf(manifest: Manifest, folders: readonly string[]): Package {
  const { name, exports = {}, dependencies, devDependencies, peerDependencies } = manifest;
  return {
    name,
    folders,
    generated: generated[name] ?? /^$/,
    named: new Set(Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies })),
    exported: Object.keys(exports),
  };
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest; // npm has accepted it
}

/** The modules of a package, by path. */
export function modulesOf({ folders }: Package): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:tsx?|js)$/.test(name) && !/(?:^|\/)(?:dist|node_modules)\//.test(name))
      .map((name) => join(folder, name)),
  );
}

/** Says what is wrong with the imports of a module, types and dynamic imports included. */
export function faultsOf(file: string, text: string, packages: readonly Package[]): readonly string[] {
  const importer = packages.find(({ folders }) => folders.some((folder) => file.startsWith(folder)));
  if (importer === undefined) throw new Error(`${file} is in no package`);
  return ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) => faultOf(file, fileName, importer, packages))
    .filter((fault) => fault !== null);
}

function faultOf(file: string, specifier: string, importer: Package, packages: readonly Package[]): string | null {
  if (specifier.startsWith('node:')) return null;
  if (specifier.startsWith('.')) {
    const target = normalize(join(dirname(file), specifier));
    const isInside = importer.folders.some((folder) => target.startsWith(folder)) || importer.generated.test(target);
    return isInside ? null : `${file} imports ${target}, which is outside of ${importer.name}`;
  }
  const parts = specifier.split('/');
  const name = parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
  if (!importer.named.has(name)) return `${file} imports ${name}, which the manifest of ${importer.name} does not name`;
  const imported = packages.find((each) => each.name === name);
  if (imported === undefined) return null;
  const subpath = ['.', ...parts.slice(2)].join('/');
  const isExported = imported.exported.some((pattern) => pattern === subpath || pattern === './*');
  return isExported ? null : `${file} imports ${specifier}, which ${name} does not export`;
}
