import path from 'node:path';
import { withEnvFiles } from '../dotenv/environment.js';
import type { Environment } from '../dotenv/environment.js';
import { failure } from '../errors.js';
import type { ComposeFiles } from './files.js';
import { child, childMap, pathText, sameContent, shown, textOf, withEntry, withoutEntry } from '../node.js';
import type { MapNode, Node, Path } from '../node.js';
import { composeFile } from '../schema/compose-file.js';
import type { WarningList } from '../warnings.js';

/** The inputs of loading one compose file, or one list of them. */
export interface LoadScope {
  /** Absolute paths, in merge order. */
  readonly paths: readonly string[];
  /** The absolute path to which relative paths are resolved. */
  readonly directory: string;
  readonly environment: Environment;
  /** The including files, outermost first. */
  readonly stack: readonly string[];
}

/** Loads and merges the files of a scope. */
export type LoadScopeModel = (scope: LoadScope) => Promise<MapNode>;

/** The sections that an included file contributes. */
const SHARED_SECTIONS = ['services', 'networks', 'volumes', 'secrets', 'configs', 'models'] as const;

/**
 * Loads the included files, each with its project directory and environment, and adds their resources to the including
 * file (Compose Specification, "include"). The including file's definition of a resource overrides the included one.
 *
 * @param root a file in canonical form with absolute paths
 * @throws ComposeFailure of the IncludeError family
 */
export async function applyIncludes(
  root: MapNode,
  scope: LoadScope,
  load: LoadScopeModel,
  files: ComposeFiles,
  warnings: WarningList,
): Promise<MapNode> {
  const includes = child(root, 'include');
  if (includes?.kind !== 'list') return root;
  let model = withoutEntry(root, 'include');
  for (const include of includes.items) {
    const imported = await load(await includedScope(include, scope, files));
    model = importResources(imported, model, warnings);
  }
  return model;
}

async function includedScope(include: Node, scope: LoadScope, files: ComposeFiles): Promise<LoadScope> {
  const pathNodes = textNodes(child(include, 'path'));
  for (const node of pathNodes) await checkPath(node, scope, files);
  const paths = pathNodes.map((node) => textOf(node) ?? '');
  const directory = textOf(child(include, 'project_directory')) ?? path.dirname(paths[0] ?? scope.directory);
  const envFiles = await includedEnvFiles(include, directory, files);
  return { paths, directory, environment: await withEnvFiles(scope.environment, envFiles, files), stack: scope.stack };
}

async function checkPath(node: Node, scope: LoadScope, files: ComposeFiles): Promise<void> {
  const file = textOf(node) ?? '';
  const name = node.kind === 'scalar' && node.written !== undefined ? shown(node) : file;
  if (scope.stack.includes(file)) throw failure('IncludeError', 'cyclicInclude', { path: name }, node.place);
  if (!(await files.isFile(file, name))) throw failure('IncludeError', 'fileNotFound', { path: name }, node.place);
}

async function includedEnvFiles(include: Node, directory: string, files: ComposeFiles): Promise<string[]> {
  const named = textNodes(child(include, 'env_file')).map((node) => textOf(node) ?? '');
  if (named.length > 0) return named;
  const standard = path.join(directory, '.env');
  return (await files.isFile(standard)) ? [standard] : [];
}

function textNodes(node: Node | undefined): readonly Node[] {
  return node?.kind === 'list' ? node.items : [];
}

function importResources(imported: MapNode, model: MapNode, warnings: WarningList): MapNode {
  let shared: MapNode = { ...imported, entries: new Map() };
  for (const section of SHARED_SECTIONS) {
    const resources = childMap(imported, section);
    if (resources === undefined) continue;
    shared = withEntry(shared, section, resources);
    for (const [name, entry] of resources.entries) {
      const own = childMap(model, section)?.entries.get(name);
      if (own !== undefined && !sameContent(own.value, entry.value)) warnConflict([section, name], own.value, warnings);
    }
  }
  const merged = composeFile.merge(shared, model, []);
  return merged.kind === 'map' ? merged : model;
}

function warnConflict(resource: Path, node: Node, warnings: WarningList): void {
  warnings.add(
    'includeConflict',
    `${pathText(resource)} is also defined by an included file; the two are merged.`,
    node.place,
  );
}
