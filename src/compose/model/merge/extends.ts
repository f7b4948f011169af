import { failure } from '../errors.js';
import { child, childMap, settled, shown, textOf, withEntries, withEntry, withoutEntry } from '../node.js';
import type { Entry, MapNode, Node } from '../node.js';
import { service as serviceShape } from '../schema/service.js';
import { mergeValue } from '../shape/shape.js';

/** The services of one file, for `extends`. */
export interface ServiceSource {
  /** Absolute path; identifies the file. */
  readonly file: string;
  /** The service in canonical form with absolute paths, or undefined. */
  service(name: string): Node | undefined;
}

/** Reads the file that `extends.file` names; undefined if there is none. */
export type OpenServiceSource = (file: string, shownAs: string) => Promise<ServiceSource | undefined>;

/**
 * Merges each service that extends another over the other's definition (Compose Specification, "extends"). The
 * service's directives are kept in the result, because they also apply to earlier files.
 *
 * @param root a file in canonical form with absolute paths
 * @throws ComposeFailure of the ExtendsError family
 */
export async function applyExtends(root: MapNode, file: string, open: OpenServiceSource): Promise<MapNode> {
  const services = childMap(root, 'services');
  if (services === undefined) return root;
  const source: ServiceSource = { file, service: (name) => child(services, name) };
  const run: Run = { open, resolved: new Map() };
  const extended = new Map<string, Entry>();
  for (const [name, entry] of services.entries) {
    extended.set(name, { ...entry, value: (await resolve(name, source, run, [])) ?? entry.value });
  }
  return withEntry(root, 'services', withEntries(services, extended));
}

interface Run {
  readonly open: OpenServiceSource;
  readonly resolved: Map<string, Node>;
}

async function resolve(
  name: string,
  source: ServiceSource,
  run: Run,
  chain: readonly string[],
): Promise<Node | undefined> {
  const node = source.service(name);
  const reference = node === undefined ? undefined : child(node, 'extends');
  if (node?.kind !== 'map' || reference === undefined) return node;
  const key = `${name} in ${source.file}`;
  if (chain.includes(key)) {
    throw failure(
      'ExtendsError',
      'cyclicExtends',
      { chain: [...chain.slice(chain.indexOf(key)), key] },
      reference.place,
    );
  }
  const known = run.resolved.get(key);
  if (known !== undefined) return known;

  const baseSource = await sourceOf(name, reference, source, run);
  const extended = child(reference, 'service');
  const base = await resolve(textOf(extended) ?? '', baseSource, run, [...chain, key]);
  if (base === undefined) {
    const fields = { service: name, extended: extended === undefined ? '' : shown(extended) };
    throw failure('ExtendsError', 'serviceNotFound', fields, reference.place);
  }
  const own = withoutEntry(node, 'extends');
  const merged = mergeValue(serviceShape, settled(base), own, ['services', name]);
  run.resolved.set(key, merged);
  return merged;
}

async function sourceOf(name: string, reference: Node, source: ServiceSource, run: Run): Promise<ServiceSource> {
  const fileNode = child(reference, 'file');
  const file = textOf(fileNode);
  if (fileNode === undefined || file === undefined || file === source.file) return source;
  const opened = await run.open(file, shown(fileNode));
  if (opened !== undefined) return opened;
  throw failure('ExtendsError', 'fileNotFound', { service: name, path: shown(fileNode) }, fileNode.place);
}
