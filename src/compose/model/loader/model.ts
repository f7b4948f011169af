import path from 'node:path';
import { lookupIn } from '../dotenv/environment.js';
import type { Environment } from '../dotenv/environment.js';
import { failure } from '../errors.js';
import { applyExtends } from '../merge/extends.js';
import type { ServiceSource } from '../merge/extends.js';
import type { FileContent } from '../file-content.js';
import type { ComposeFiles } from './files.js';
import { STANDARD_INPUT } from './find.js';
import { applyIncludes } from './include.js';
import type { LoadScope } from './include.js';
import { interpolate } from '../interpolation/interpolate.js';
import { child, childMap, isNull, scalar, settled, textOf, withEntry } from '../node.js';
import type { MapNode, Node, Path } from '../node.js';
import { parseYaml } from './parse.js';
import { composeFile } from '../schema/compose-file.js';
import { service as serviceShape } from '../schema/service.js';
import { mapEntries } from '../shape/collection-shapes.js';
import type { Locator, Shape } from '../shape/shape.js';
import type { WarningList } from '../warnings.js';

/** Shared by the stages from file to merged model. */
export interface ModelContext {
  readonly files: ComposeFiles;
  /**
   * Parsed documents by file. The project's name needs some of them early, and standard input can be read only once.
   */
  readonly documents: Map<string, Promise<MapNode[]>>;
  readonly warnings: WarningList;
  /** False: variables are not replaced. */
  readonly interpolate: boolean;
  readonly keepsPaths: boolean;
  readonly readsVariableFiles: boolean;
  readonly home: string | undefined;
  /** Collects the values of secrets and configs with `environment:`, by `secrets.<name>` and `configs.<name>`. */
  readonly contents: Map<string, FileContent>;
  /** Models of files included more than once. */
  readonly included: Map<string, Promise<MapNode>>;
}

/**
 * Loads compose files into one merged model. Each file is parsed, interpolated, checked, and converted to long syntax
 * with absolute paths. Then includes and extends are applied, and it is merged over the previous files.
 */
export async function loadModel(scope: LoadScope, context: ModelContext): Promise<MapNode> {
  let model: MapNode | undefined;
  for (const file of scope.paths) {
    for (const document of await readDocuments(file, context)) {
      const stack = [...scope.stack, file];
      const prepared = prepare(composeFile, document, [], scope.environment, scope.directory, context);
      const complete = await applyIncludes(
        prepared,
        { ...scope, stack },
        (inner) => includeOnce(inner, context),
        context.files,
      );
      const extended = await applyExtends(complete, file, (base, shownAs) =>
        openServices(base, shownAs, scope.environment, context),
      );
      model = model === undefined ? asMap(settled(extended)) : asMap(settled(composeFile.merge(model, extended, [])));
    }
  }
  if (model === undefined) throw failure('ComposeValidationError', 'emptyProject', {});
  return withVariables(model, scope.environment, context);
}

/** The documents of one file, merged in order, like files. */
export function readDocuments(file: string, context: Pick<ModelContext, 'files' | 'documents'>): Promise<MapNode[]> {
  const documents = context.documents.get(file) ?? parseFile(file, context.files);
  context.documents.set(file, documents);
  return documents;
}

async function parseFile(file: string, files: ComposeFiles): Promise<MapNode[]> {
  const text = file === STANDARD_INPUT ? await files.readStandardInput() : await files.readText(file);
  if (text === undefined) throw failure('YamlError', 'composeFileNotFound', { path: file });
  return parseYaml(text, file);
}

/** Interpolates, checks and expands part of a file. */
function prepare(
  shape: Shape<unknown>,
  node: MapNode,
  at: Path,
  environment: Environment,
  directory: string,
  context: ModelContext,
): MapNode {
  const filled = context.interpolate
    ? interpolate(node, lookupIn(environment), (name) => {
        warnUnset(name, context.warnings);
      })
    : node;
  const canonical = shape.canonical(filled, at, { templates: !context.interpolate });
  const { home, keepsPaths, readsVariableFiles } = context;
  const locator: Locator = { directory, home, keepsPaths, readsVariableFiles };
  return asMap(shape.locate(canonical, locator));
}

function warnUnset(name: string, warnings: WarningList): void {
  warnings.add('unsetVariable', `The variable ${name} is not set; it becomes empty.`);
}

/** A file included several times with the same directory and variables is loaded once. */
async function includeOnce(scope: LoadScope, context: ModelContext): Promise<MapNode> {
  const key = JSON.stringify([scope.paths, scope.directory, [...scope.environment]]);
  const loaded = context.included.get(key) ?? loadIncluded(scope, context);
  context.included.set(key, loaded);
  return loaded;
}

/** Builds without a context have that of the file's project directory, which is not the including file's. */
async function loadIncluded(scope: LoadScope, context: ModelContext): Promise<MapNode> {
  const model = await loadModel(scope, context);
  if (context.keepsPaths) return model;
  return mapServices(model, (service) => {
    const build = childMap(service, 'build');
    const context = build && child(build, 'context');
    // An empty text is what an unset variable leaves.
    if (build === undefined || (context !== undefined && textOf(context) !== '')) return service;
    return withEntry(service, 'build', withEntry(build, 'context', scalar(scope.directory, build.place)));
  });
}

function mapServices(model: MapNode, change: (service: MapNode) => MapNode): MapNode {
  const services = childMap(model, 'services');
  if (services === undefined) return model;
  const changed = mapEntries(services, (_, service) => (service.kind === 'map' ? change(service) : service));
  return withEntry(model, 'services', changed);
}

/**
 * The services of a file named by `extends.file`. Only the requested services are checked; the others are not part of
 * this project.
 */
async function openServices(
  file: string,
  shownAs: string,
  environment: Environment,
  context: ModelContext,
): Promise<ServiceSource | undefined> {
  if (!(await context.files.isFile(file, shownAs))) return undefined;
  const documents = await readDocuments(file, context);
  const written = new Map(documents.flatMap((document) => [...(childMap(document, 'services')?.entries ?? [])]));
  const prepared = new Map<string, Node>();
  return {
    file,
    service(name) {
      const node = prepared.get(name) ?? written.get(name)?.value;
      if (node?.kind !== 'map' || prepared.has(name)) return node;
      const service = prepare(serviceShape, node, ['services', name], environment, path.dirname(file), context);
      prepared.set(name, service);
      return service;
    },
  };
}

/** Resolves variables listed by name only, and records the values of secrets and configs with `environment:`. */
function withVariables(model: MapNode, environment: Environment, context: ModelContext): MapNode {
  for (const section of ['secrets', 'configs'] as const) {
    for (const [name, entry] of childMap(model, section)?.entries ?? []) {
      const value = environment.get(textOf(child(entry.value, 'environment')) ?? '');
      if (value !== undefined) context.contents.set(`${section}.${name}`, value);
    }
  }
  if (!context.interpolate) return model;
  return mapServices(model, (service) => {
    const variables = childMap(service, 'environment');
    if (variables === undefined) return service;
    const named = mapEntries(variables, (name, value) => namedVariable(name, value, environment));
    return withEntry(service, 'environment', named);
  });
}

function namedVariable(name: string, value: Node, environment: Environment): Node {
  const found = isNull(value) ? environment.get(name) : undefined;
  return found === undefined ? value : scalar(found, value.place, name);
}

function asMap(node: Node): MapNode {
  if (node.kind === 'map') return node;
  throw new TypeError('a compose file in canonical form is a mapping');
}
