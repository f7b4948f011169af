import { Composer, isAlias, isMap, isScalar, isSeq, LineCounter, Parser, Scalar as YamlScalar } from 'yaml';
import type { CST, Document, Node as YamlNode, YAMLMap, YAMLSeq } from 'yaml';
import { failure } from '../errors.js';
import { list, scalar, settled } from '../node.js';
import type { Directive, Entry, MapNode, Node, Place, Scalar } from '../node.js';
import { resolvePlainScalar } from './scalars.js';

/**
 * Limits for one compose file, far above real ones (500 services are about 50,000 nodes), so that a malicious file
 * fails early.
 */
const LIMITS = { characters: 8_388_608, depth: 64, nodes: 500_000 } as const;

/**
 * Parses the text of one compose file. Anchors, aliases and merge keys (`<<`) are resolved.
 *
 * @param text YAML, one or more documents
 * @param file the name used in locations
 * @returns the top mapping of each nonempty document
 * @throws ComposeFailure YamlError.malformed or YamlError.limitExceeded
 */
export function parseYaml(text: string, file: string): MapNode[] {
  const lines = new LineCounter();
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  if (text.length > LIMITS.characters) throw exceeded('characters', placeAt(0));

  const tokens = [...new Parser(lines.addNewLine).parse(text.replace(/^\uFEFF/, ''))];
  checkDepth(tokens, placeAt);
  // The failsafe schema makes every scalar a string; resolvePlainScalar decides the meaning of plain ones. Duplicate
  // keys are checked here, too, because the library compares all pairs of keys.
  const composer = new Composer({ schema: 'failsafe', version: '1.2', prettyErrors: false, uniqueKeys: false });
  const roots: MapNode[] = [];
  for (const document of composer.compose(tokens)) {
    const root = convertDocument(document, placeAt);
    if (root !== undefined) roots.push(root);
  }
  return roots;
}

function convertDocument(document: Document.Parsed, placeAt: (offset: number) => Place): MapNode | undefined {
  const [problem] = document.errors;
  if (problem !== undefined) throw malformed(problem.message, placeAt(problem.pos[0]));
  if (document.contents === null) return undefined;
  const run: Conversion = { placeAt, anchors: new Map(), nodes: 0, aliased: 0 };
  const root = settledScalars(convert(document.contents, run));
  refuseExcessiveAliases(run, root.place);
  if (root.kind === 'scalar' && root.value === null) return undefined;
  if (root.kind !== 'map') throw malformed('the top level must be a mapping', root.place);
  return root;
}

/** Like go-yaml, rejects a file that consists mostly of aliases as an attack. */
function refuseExcessiveAliases({ nodes, aliased }: Conversion, place: Place): void {
  if (nodes <= MANY_NODES || aliased / nodes <= MOST_ALIASED) return;
  const fields = { limit: 'percent of its nodes from aliases', maximum: MOST_ALIASED * 100 };
  throw failure('YamlError', 'limitExceeded', fields, place);
}

/** Smaller files are harmless. */
const MANY_NODES = 1000;
const MOST_ALIASED = 0.99;

/** Directives have an effect only below the top level. */
function settledScalars(root: Node): Node {
  return root.directive === undefined ? root : settled(root);
}

interface Conversion {
  readonly placeAt: (offset: number) => Place;
  /** The node of an anchor and its size in nodes; undefined while it is being read. */
  readonly anchors: Map<string, { readonly node: Node; readonly nodes: number } | undefined>;
  nodes: number;
  /** How many of them come from aliases. */
  aliased: number;
}

const CHARACTERS_PER_NODE = 256;

function convert(source: YamlNode, run: Conversion): Node {
  const place = run.placeAt(source.range?.[0] ?? 0);
  if (isAlias(source)) return resolveAlias(source.source, place, run);
  const { anchor } = source;
  const before = run.nodes;
  if (anchor !== undefined) run.anchors.set(anchor, undefined);
  count(1, place, run);
  const node = { ...convertContent(source, place, run), ...directiveOf(source.tag, place) };
  if (anchor !== undefined) run.anchors.set(anchor, { node, nodes: run.nodes - before });
  return node;
}

function convertContent(source: YamlNode, place: Place, run: Conversion): Node {
  if (isMap(source)) return convertMap(source, place, run);
  if (isSeq(source)) return convertList(source, place, run);
  if (isScalar(source)) return scalar(scalarValue(source, place, run), place);
  throw malformed('an unknown kind of node', place);
}

function resolveAlias(name: string, place: Place, run: Conversion): Node {
  const anchored = run.anchors.get(name);
  if (anchored !== undefined) {
    count(anchored.nodes, place, run);
    run.aliased += anchored.nodes;
    return anchored.node;
  }
  throw malformed(
    run.anchors.has(name) ? `the alias *${name} contains itself` : `no anchor &${name} before this alias`,
    place,
  );
}

function convertList(source: YAMLSeq, place: Place, run: Conversion): Node {
  const items = source.items.map((item) => convert(item as YamlNode, run)); // composed documents contain only nodes
  return list(items, place);
}

function convertMap(source: YAMLMap, place: Place, run: Conversion): MapNode {
  const own = new Map<string, Entry>();
  const merged: MapNode[] = [];
  let mergeKeySeen = false;
  for (const pair of source.items) {
    const key = pair.key as YamlNode; // composed documents contain only nodes
    const keyPlace = run.placeAt(key.range?.[0] ?? 0);
    const value: Node = pair.value === null ? scalar(null, keyPlace) : convert(pair.value as YamlNode, run);
    if (isScalar(key) && key.type === 'PLAIN' && key.source === '<<') {
      if (mergeKeySeen) throw malformed('a mapping can have one << key; list several mappings under it', keyPlace);
      mergeKeySeen = true;
      merged.push(...mergeSources(value, keyPlace));
      continue;
    }
    const name = keyText(key, keyPlace, run);
    if (own.has(name)) throw malformed('a mapping contains the same key twice', keyPlace);
    own.set(name, { place: keyPlace, value });
  }
  return { kind: 'map', entries: withMerged(own, merged), place };
}

/** Direct keys override merged ones, and earlier merged mappings override later ones (yaml.org/type/merge). */
function withMerged(own: ReadonlyMap<string, Entry>, merged: readonly MapNode[]): ReadonlyMap<string, Entry> {
  if (merged.length === 0) return own;
  const entries = new Map(own);
  for (const source of merged) {
    for (const [key, entry] of source.entries) if (!entries.has(key)) entries.set(key, entry);
  }
  return entries;
}

function mergeSources(value: Node, place: Place): MapNode[] {
  const sources = value.kind === 'list' ? value.items : [value];
  return sources.map((source) => {
    if (source.kind !== 'map') throw malformed('<< takes a mapping or a list of mappings', place);
    return source;
  });
}

function keyText(key: YamlNode, place: Place, run: Conversion): string {
  const value = isAlias(key)
    ? resolveAlias(key.source, place, run)
    : isScalar(key)
      ? scalar(scalarValue(key, place, run), place)
      : undefined;
  if (value?.kind === 'scalar' && typeof value.value === 'string') return value.value;
  throw malformed('keys must be strings; quote this one', place);
}

const TAG_PREFIX = 'tag:yaml.org,2002:';
const DIRECTIVES: Readonly<Record<string, Directive>> = { '!reset': 'reset', '!override': 'override' };
const CONTENT_TAGS = new Set(['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => TAG_PREFIX + name));

function directiveOf(tag: string | undefined, place: Place): { directive?: Directive } {
  const directive = tag === undefined ? undefined : DIRECTIVES[tag];
  if (directive !== undefined) return { directive };
  if (tag === undefined || CONTENT_TAGS.has(tag)) return {};
  throw malformed(`the tag ${tag} is unknown; compose files support !reset and !override`, place);
}

function scalarValue(source: YamlScalar, place: Place, run: Conversion): Scalar {
  const text = source.source ?? '';
  count(Math.floor(text.length / CHARACTERS_PER_NODE), place, run);
  const isPlain = source.type === YamlScalar.PLAIN || source.type === undefined;
  const untagged = source.tag === undefined || source.tag in DIRECTIVES;
  if (untagged) return isPlain ? resolvePlainScalar(text) : text;
  return source.tag === `${TAG_PREFIX}str` ? text : resolvePlainScalar(text);
}

function count(nodes: number, place: Place, run: Conversion): void {
  run.nodes += nodes;
  if (run.nodes > LIMITS.nodes) throw exceeded('nodes', place);
}

/** Composing recurses, so check the nesting depth on the flat token list first. */
function checkDepth(tokens: readonly CST.Token[], placeAt: (offset: number) => Place): void {
  const pending = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { token, depth } = next;
    if (depth > LIMITS.depth) throw exceeded('depth', placeAt(token.offset));
    for (const inner of innerTokens(token)) pending.push({ token: inner, depth: depth + 1 });
  }
}

function innerTokens(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value];
  if (!('items' in token)) return [];
  return token.items.flatMap((item) => [item.key ?? [], item.value ?? []].flat());
}

function malformed(reason: string, place: Place): Error {
  return failure('YamlError', 'malformed', { reason }, place);
}

function exceeded(limit: keyof typeof LIMITS, place: Place): Error {
  const name = limit === 'depth' ? 'levels of nesting' : limit;
  return failure('YamlError', 'limitExceeded', { limit: name, maximum: LIMITS[limit] }, place);
}
