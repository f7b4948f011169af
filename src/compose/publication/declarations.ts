/** What a compose file declares, as written: also what no service uses, and what another file resets. */
import { isMap, isPair, isScalar, isSeq, parseAllDocuments, visit, type Document, type Pair, type YAMLMap } from 'yaml';
import { entry, resolved } from './references.js';

export interface Declaration {
  readonly kind: 'environment' | 'env_file' | 'content' | 'fromVariable' | 'shortMount' | 'bindMount';
  /** The part of the file: `service "web"`, `x-base`. */
  readonly owner: string;
  /** The names of variables; a mount in short syntax; the source and target of a bind mount. All are as written. */
  readonly names: readonly string[];
}

/** Finds declarations wherever they are: aliases take them from extensions and from other sections. */
export function declarationsIn(text: string): Declaration[] {
  const found: Declaration[] = [];
  for (const document of parseAllDocuments(text)) {
    if (!('contents' in document)) continue;
    visit(document, {
      Pair(_, pair, ancestors) {
        const keys = [...ancestors.filter(isPair), pair].map(keyOf);
        found.push(...declarationsOf(document, pair, keys));
      },
    });
  }
  return found;
}

const SINGULAR: Readonly<Record<string, string>> = { services: 'service', configs: 'config', secrets: 'secret' };

function declarationsOf(document: Document, pair: Pair, keys: readonly string[]): Declaration[] {
  const [section = '', name = ''] = keys;
  const isExtension = section.startsWith('x-');
  const owner = isExtension ? section : `${SINGULAR[section] ?? section} "${name}"`;
  const value = resolved(document, pair.value);
  if (keys.length === 2 && section === 'configs') {
    const isFromVariable = isMap(value) && isText(entry(document, value, 'environment'));
    return isFromVariable ? [{ kind: 'fromVariable', owner, names: [] }] : [];
  }
  // The second key of a section is the name of a resource.
  if (!isExtension && keys.length < 3) return [];
  const hasContent = section === 'configs' || section === 'secrets' || isExtension;
  switch (keys.at(-1) ?? '') {
    case 'environment': {
      const names = variablesIn(document, value, new Set());
      return names.length > 0 ? [{ kind: 'environment', owner, names: [...new Set(names)] }] : [];
    }
    case 'env_file':
      return !isEmpty(value) ? [{ kind: 'env_file', owner, names: [] }] : [];
    case 'content':
      return hasContent && isText(value) ? [{ kind: 'content', owner, names: [] }] : [];
    case 'volumes':
      if (!isSeq(value)) return [];
      return value.items.flatMap((item) => mountOf(document, owner, resolved(document, item)));
    default:
      return [];
  }
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '';
}

function isText(node: unknown): boolean {
  return isScalar(node) && node.value !== null && node.value !== '';
}

function isEmpty(node: unknown): boolean {
  return isSeq(node) || isMap(node) ? node.items.length === 0 : !isText(node);
}

/** The names in the list or the mapping of an environment, with those of merge keys. */
function variablesIn(document: Document, node: unknown, seen: Set<unknown>): string[] {
  if (seen.has(node)) return [];
  seen.add(node);
  if (isSeq(node)) return node.items.flatMap((item) => namesOf(document, resolved(document, item), seen));
  if (!isMap(node)) return [];
  return node.items.flatMap((pair) =>
    keyOf(pair) === '<<' ? variablesIn(document, resolved(document, pair.value), seen) : [keyOf(pair)],
  );
}

/** @param item `NAME=value` of a list, or a mapping of the list under a merge key */
function namesOf(document: Document, item: unknown, seen: Set<unknown>): string[] {
  return isScalar(item) ? [String(item.value).split('=', 1)[0] ?? ''] : variablesIn(document, item, seen);
}

/** What is a bind mount in short syntax depends on the values of variables. */
function mountOf(document: Document, owner: string, item: unknown): Declaration[] {
  if (isScalar(item)) return [{ kind: 'shortMount', owner, names: [String(item.value)] }];
  if (!isMap(item) || textAt(document, item, 'type') !== 'bind') return [];
  return [{ kind: 'bindMount', owner, names: ['source', 'target'].map((key) => textAt(document, item, key)) }];
}

function textAt(document: Document, map: YAMLMap, key: string): string {
  const value = entry(document, map, key);
  return isScalar(value) ? String(value.value) : '';
}
