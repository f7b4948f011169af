import { child, isNull, list, map, scalar, scalarText, textOf, type Node, type Path } from '../node.js';
import { locateContext, locateInput, locatePath, locateVariableFile } from '../normalize/mounts.js';
import type { FileReference, Ulimit } from '../project/shared-fields.js';
import { directive, listOf, mapEntries, pairs, recordOf } from '../shape/collection-shapes.js';
import { objectOf } from '../shape/object-shape.js';
import { integer, mode, single, text, textOrNumber } from '../shape/scalar-shapes.js';
import { isOpenTemplate, unexpected, type Shape } from '../shape/shape.js';

/** Field shapes that services, builds and resources share. */

/** The part before the equals sign; identifies an entry of a `KEY=value` list. */
export function keyBeforeEquals(entry: Node): string {
  return entry.kind === 'scalar' && entry.value !== null ? (scalarText(entry.value).split('=', 1)[0] ?? '') : '';
}

export const texts = listOf(text);
export const textOrTexts = listOf(text, { single: true });
export const distinctTexts = listOf(text, { merge: { uniqueBy: keyBeforeEquals } });
export const distinctTextOrTexts = listOf(text, { single: true, merge: { uniqueBy: keyBeforeEquals } });
export const textsOrNumbers = listOf(textOrNumber);

/** `KEY=value` data in which a key alone means an empty string. */
export const labels = withoutNulls(pairs({ bare: 'empty' }));
/** `KEY=value` data in which a key alone takes its value from the environment. */
export const environment = pairs({ bare: 'null' });
const keyValues = withoutNulls(pairs({ bare: 'refused' }));

function withoutNulls(shape: Shape<Record<string, string | null>>): Shape<Record<string, string>> {
  return {
    ...shape,
    read: (node, path) =>
      Object.fromEntries(Object.entries(shape.read(node, path)).map(([key, value]) => [key, value ?? ''])),
  };
}

/** Options passed to a driver: numbers become strings, null an empty string. */
export const driverOptions: Shape<Record<string, string>> = recordOf(
  single('a string or a number', (value) =>
    value === null ? '' : typeof value === 'boolean' ? undefined : scalarText(value),
  ),
);

/** A path; relative paths are resolved to the project directory. */
export const filePath: Shape<string> = { ...text, locate: locatePath };
/** A file that loading reads. */
export const inputFile: Shape<string> = { ...text, locate: locateInput };
export const inputFiles = listOf(inputFile, { single: true });
/** The env_file or label_file of a service. */
export const variableFile: Shape<string> = { ...text, locate: locateVariableFile };
export const variableFiles = listOf(variableFile, { single: true });
export const contextPath: Shape<string> = { ...text, locate: locateContext };

export const additionalContexts: Shape<Record<string, string>> = {
  ...keyValues,
  locate: (node, locator) =>
    node.kind === 'map' ? mapEntries(node, (_, value) => locateContext(value, locator)) : node,
};

const FILE_REFERENCE_FIELDS = {
  source: text,
  target: text,
  uid: text,
  gid: text,
  mode,
};

/** Secrets or configs by name. Entries with the same path in the container are the same entry. */
export function fileReferences(directory: string): Shape<FileReference[]> {
  const item = objectOf<FileReference>(FILE_REFERENCE_FIELDS, {
    required: ['source'],
    shortExpected: 'a name',
    short: (node) => (textOf(node) === undefined ? undefined : map([['source', node]], node.place)),
  });
  const uniqueBy = (entry: Node): string =>
    textOf(child(entry, 'target')) ?? `${directory}/${textOf(child(entry, 'source')) ?? textOf(entry) ?? ''}`;
  return listOf(item, { merge: { uniqueBy } });
}

const ulimitPair = objectOf<Ulimit>({ soft: integer, hard: integer }, { required: ['soft', 'hard'] });

/** One limit for both, or a soft and a hard one. */
const ulimit: Shape<number | Ulimit> = {
  expected: 'a whole number or a mapping with soft and hard',
  canonical: (node, path, canonicalMode) =>
    node.kind === 'map'
      ? ulimitPair.canonical(node, path, canonicalMode)
      : integer.canonical(node, path, canonicalMode),
  merge: (base, over, path) => (base.kind === 'map' && over.kind === 'map' ? ulimitPair.merge(base, over, path) : over),
  locate: (node) => node,
  read: (node, path) => (node.kind === 'map' ? ulimitPair.read(node, path) : integer.read(node, path)),
};

export const ulimits = recordOf(ulimit, { names: /^[a-z]+$/ });

const HOST = /^([^=:]+)[=:](.*)$/s;

/**
 * `host=address` lists, or a mapping to one or several addresses. Kept as a list until read, so that later files
 * append.
 */
export const extraHosts: Shape<Record<string, string[]>> = {
  expected: 'a mapping or a list of host=address',
  canonical(node, path, canonicalMode) {
    if (isOpenTemplate(node, canonicalMode)) return node;
    const entries = node.kind === 'map' ? hostsFromMap(node, path) : node.kind === 'list' ? node.items : undefined;
    if (entries === undefined) throw unexpected(extraHosts.expected, node, path);
    entries.forEach((entry, index) => {
      if (!isOpenTemplate(entry, canonicalMode)) splitHost(entry, [...path, index]);
    });
    return { ...list(entries, node.place), ...directive(node) };
  },
  merge: texts.merge,
  locate: (node) => node,
  read(node, path) {
    if (node.kind !== 'list') throw unexpected(extraHosts.expected, node, path);
    const hosts = new Map<string, string[]>();
    node.items.forEach((entry, index) => {
      const [host, addresses] = splitHost(entry, [...path, index]);
      hosts.set(host, [...(hosts.get(host) ?? []), ...addresses]);
    });
    return Object.fromEntries(hosts);
  },
};

function hostsFromMap(node: Node & { kind: 'map' }, path: Path): Node[] {
  return [...node.entries].flatMap(([host, { value }]) => {
    const addresses = value.kind === 'list' ? value.items : [value];
    return addresses.map((address) => {
      const addressText = isNull(address) ? '' : textOf(address);
      if (addressText === undefined) throw unexpected('an address or a list of them', address, [...path, host]);
      return scalar(`${host}=${addressText}`, address.place, address.kind === 'scalar' ? address.written : undefined);
    });
  });
}

function splitHost(entry: Node, path: Path): [string, string[]] {
  const match = HOST.exec(textOf(entry) ?? '');
  const [, host, addresses] = match ?? [];
  if (host === undefined || addresses === undefined) throw unexpected('host=address', entry, path);
  return [host, addresses.split(',').map((address) => address.replace(/^\[(.+)\]$/, '$1'))];
}
