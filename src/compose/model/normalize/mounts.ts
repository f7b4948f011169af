import path from 'node:path';
import { child, map, scalar, textOf, withEntry } from '../node.js';
import type { Node, Path } from '../node.js';
import { unexpected } from '../shape/shape.js';
import type { Locator } from '../shape/shape.js';

const EXPECTED = 'a volume such as data:/var/lib/data, ./src:/src:ro or /cache';
const PROPAGATIONS = new Set(['rprivate', 'private', 'rshared', 'shared', 'rslave', 'slave']);

/** The effect of each access option of the short syntax. Unknown options are rejected. */
function accessOption(
  option: string,
  node: Node,
): { readonly group?: 'bind' | 'volume'; readonly key: string; readonly value: Node } | undefined {
  const { place } = node;
  if (option === 'ro' || option === 'rw') return { key: 'read_only', value: scalar(option === 'ro', place) };
  if (option === 'nocopy') return { group: 'volume', key: 'nocopy', value: scalar(true, place) };
  if (option === 'z' || option === 'Z') return { group: 'bind', key: 'selinux', value: scalar(option, place) };
  if (PROPAGATIONS.has(option)) return { group: 'bind', key: 'propagation', value: scalar(option, place) };
  if (['cached', 'delegated', 'consistent'].includes(option))
    return { key: 'consistency', value: scalar(option, place) };
  return undefined;
}

/** Expands the short volume syntax `[source:]target[:options]` (Compose Specification, "volumes"). */
export function expandMount(entry: Node, at: Path): readonly Node[] {
  const text = textOf(entry);
  if (text === undefined) return [entry];
  const sections = splitSections(text);
  if (sections.length > 3 || sections.includes('')) throw unexpected(EXPECTED, entry, at);
  const [source, target] = sections.length === 1 ? [undefined, sections[0]] : sections;
  const isBind = source !== undefined && isHostPath(source);
  const fields = new Map<string, Node>([['type', scalar(isBind ? 'bind' : 'volume', entry.place)]]);
  const written = entry.kind === 'scalar' ? entry.written : undefined;
  if (source !== undefined) fields.set('source', scalar(source, entry.place, written));
  fields.set('target', scalar(path.posix.normalize(target ?? '').replace(/(.)\/$/, '$1'), entry.place, written));
  const groups = { bind: new Map<string, Node>(), volume: new Map<string, Node>() };
  for (const name of sections[2]?.split(',') ?? []) {
    const option = accessOption(name, entry);
    if (option === undefined) throw unexpected(EXPECTED, entry, at);
    (option.group === undefined ? fields : groups[option.group]).set(option.key, option.value);
  }
  // The short syntax creates a missing host directory.
  if (isBind) groups.bind.set('create_host_path', scalar(true, entry.place));
  if (!isBind) fields.set('volume', map(groups.volume, entry.place));
  if (isBind || groups.bind.size > 0) fields.set('bind', map(groups.bind, entry.place));
  if (isBind && groups.volume.size > 0) fields.set('volume', map(groups.volume, entry.place));
  return [map(fields, entry.place)];
}

/** Splits at colons, except after a drive letter. */
function splitSections(text: string): string[] {
  const sections: string[] = [];
  for (const part of text.split(':')) {
    const before = sections.at(-1);
    if (before !== undefined && /^[a-zA-Z]$/.test(before) && /^[\\/]/.test(part))
      sections[sections.length - 1] = `${before}:${part}`;
    else sections.push(part);
  }
  return sections;
}

/** Whether a source is a host path rather than a volume name. */
function isHostPath(source: string): boolean {
  return /^[./~]|^\\\\|^[a-zA-Z]:[\\/]/.test(source);
}

/** Mounts with the same target are the same mount. */
export function mountKey(entry: Node): string {
  return textOf(child(entry, 'target')) ?? textOf(entry) ?? '';
}

/** Makes the source of a bind mount absolute. */
export function locateMount(entry: Node, locator: Locator): Node {
  const source = child(entry, 'source');
  if (entry.kind !== 'map' || textOf(child(entry, 'type')) !== 'bind' || source === undefined) return entry;
  return withEntry(entry, 'source', locatePath(source, locator));
}

/** Makes the device path of a local volume with bind options absolute. */
export function locateVolumeDevice(entry: Node, locator: Locator): Node {
  const options = child(entry, 'driver_opts');
  const device = child(options, 'device');
  const isLocalBind = textOf(child(entry, 'driver')) === 'local' && textOf(child(options, 'o')) === 'bind';
  if (entry.kind !== 'map' || options?.kind !== 'map' || device === undefined || !isLocalBind) return entry;
  return withEntry(entry, 'driver_opts', withEntry(options, 'device', locatePath(device, locator)));
}

/** Makes a relative path absolute, unless paths are kept. */
export function locatePath(node: Node, locator: Locator): Node {
  return locator.keepsPaths ? node : locateInput(node, locator);
}

/** Makes a relative path absolute; `~` is the home directory. Drive letters and templates are kept. */
export function locateInput(node: Node, locator: Locator): Node {
  const text = textOf(node);
  if (node.kind !== 'scalar' || text === undefined || text === '' || /^[a-zA-Z]:[\\/]|^\\\\/.test(text)) return node;
  if (path.isAbsolute(text)) return node;
  const { home, directory } = locator;
  const isInHome = text.startsWith('~') && home !== undefined;
  return { ...node, value: isInHome ? joined(home, text.slice(1)) : joined(directory, text) };
}

/** The joined path without a slash at its end, so that `./data` and `./data/` are the same folder. */
function joined(directory: string, relative: string): string {
  return path.join(directory, relative).replace(/(?<=.)\/$/, '');
}

/** Makes the path of a file of variables absolute, unless paths are kept and loading does not read it. */
export function locateVariableFile(node: Node, locator: Locator): Node {
  return locator.readsVariableFiles ? locateInput(node, locator) : locatePath(node, locator);
}

const REMOTE_CONTEXT = /:\/\/|^(?:service:|github\.com\/|git@)/;

/** A build context is a path unless it is a URL, a git reference or another service. */
export function locateContext(node: Node, locator: Locator): Node {
  return REMOTE_CONTEXT.test(textOf(node) ?? '') ? node : locatePath(node, locator);
}
