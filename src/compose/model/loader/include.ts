import path from 'node:path';
import { withEnvFiles } from '../dotenv/environment.js';
import type { Environment } from '../dotenv/environment.js';
import { failure } from '../errors.js';
import type { ComposeFiles } from './files.js';
import { child, childMap, sameContent, shown, textOf, withEntry, withoutEntry } from '../node.js';
import type { MapNode, Node, Path } from '../node.js';

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
 * file (Compose Specification, "include"). A resource that both define differently is an error, also between included
 * files.
 *
 * @param root a file in canonical form with absolute paths
 * @throws ComposeFailure of the IncludeError family, ComposeValidationError.conflict
 */
export async function applyIncludes(
  root: MapNode,
  scope: LoadScope,
  load: LoadScopeModel,
  files: ComposeFiles,
): Promise<MapNode> {
  const includes = child(root, 'include');
  if (includes?.kind !== 'list') return root;
  let model = withoutEntry(root, 'include');
  for (const include of includes.items) {
    const imported = await load(await includedScope(include, scope, files));
    model = importResources(imported, model);
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

/**
 * A resource that both define alike is one, because a file may be included several times. `!reset` and `!override` in
 * the including file say what happens to the included one.
 */
function importResources(imported: MapNode, model: MapNode): MapNode {
  let merged = model;
  for (const section of SHARED_SECTIONS) {
    const resources = childMap(imported, section);
    if (resources === undefined) continue;
    const present = childMap(model, section);
    for (const [name, entry] of resources.entries) {
      const own = present?.entries.get(name);
      if (own === undefined || own.value.directive !== undefined) continue;
      if (!sameContent(own.value, entry.value)) throw conflict([section, name], own.value);
    }
    const entries = new Map([...resources.entries, ...(present?.entries ?? [])]);
    merged = withEntry(merged, section, { ...(present ?? resources), entries });
  }
  return merged;
}

function conflict(path: Path, node: Node): Error {
  const reason = 'conflicts with imported resource; define it in one file, or override it in a file of -f';
  return failure('ComposeValidationError', 'conflict', { path, reason }, node.place);
}
