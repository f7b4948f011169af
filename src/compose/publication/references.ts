/** Which other files a compose file names, and the same file with other names for them. */
import { isAlias, isMap, isScalar, isSeq, parseAllDocuments, type Document, type YAMLMap } from 'yaml';

/** The place of a file's name in the text. */
export interface Reference {
  readonly kind: 'env_file' | 'extends';
  /** The name as it is written, with variables. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

export interface References {
  readonly files: readonly Reference[];
  readonly hasIncludes: boolean;
}

/** Finds the `env_file` and `extends.file` of services, also behind aliases and merge keys. */
export function referencesIn(text: string): References {
  const found = new Map<number, Reference>();
  let hasIncludes = false;
  for (const document of parseAllDocuments(text)) {
    if (!('contents' in document) || !isMap(document.contents)) continue;
    hasIncludes ||= document.contents.has('include');
    const services = entry(document, document.contents, 'services');
    if (!isMap(services)) continue;
    for (const { value } of services.items) {
      const service = resolved(document, value);
      if (!isMap(service)) continue;
      for (const { kind, node } of namesIn(document, service)) {
        if (!isScalar(node) || typeof node.value !== 'string' || !node.range) continue;
        const [start, end] = node.range;
        found.set(start, { kind, name: node.value, start, end });
      }
    }
  }
  return { files: [...found.values()].sort((one, other) => one.start - other.start), hasIncludes };
}

/** The text with other names. Everything else, such as comments, stays as it is. */
export function renamed(text: string, files: readonly Reference[], nameOf: (file: Reference) => string): string {
  let end = text.length;
  const parts: string[] = [];
  for (const file of [...files].reverse()) {
    // A block scalar includes the end of its last line.
    const isWholeLine = text.slice(file.start, file.end).endsWith('\n');
    parts.unshift(nameOf(file), isWholeLine ? '\n' : '', text.slice(file.end, end));
    end = file.start;
  }
  return text.slice(0, end) + parts.join('');
}

function namesIn(document: Document, service: YAMLMap): { readonly kind: Reference['kind']; readonly node: unknown }[] {
  const envFile = entry(document, service, 'env_file');
  const envFiles = (isSeq(envFile) ? envFile.items : [envFile]).map((each) => {
    const item = resolved(document, each);
    return { kind: 'env_file' as const, node: isMap(item) ? entry(document, item, 'path') : item };
  });
  const extended = entry(document, service, 'extends');
  if (!isMap(extended)) return envFiles;
  return [...envFiles, { kind: 'extends', node: entry(document, extended, 'file') }];
}

/** The value of a key, or of a mapping that is merged into this one. */
export function entry(document: Document, map: YAMLMap, key: string): unknown {
  if (map.has(key)) return resolved(document, map.get(key, true));
  const merged = resolved(document, map.get('<<', true));
  for (const each of isSeq(merged) ? merged.items : [merged]) {
    const other = resolved(document, each);
    const value = isMap(other) && other !== map ? entry(document, other, key) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

/** What an alias stands for. */
export function resolved(document: Document, node: unknown): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}
