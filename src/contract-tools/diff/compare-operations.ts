import { isDeepStrictEqual } from 'node:util';
import { entries, record, resolve } from '../documents.js';
import { at, type ChangeClass, type Side } from './change.js';
import { compareContent, compareReplies } from './compare-replies.js';
import { compareSchemas } from './compare-schemas.js';
import type { Comparison } from './position.js';

/** An operation with what it inherits. */
export interface Operation {
  readonly members: Readonly<Record<string, unknown>>;
  readonly parameters: readonly unknown[];
  readonly security: unknown;
  readonly servers: unknown;
  readonly maxBodyBytes: unknown;
}

type Tell = (kind: ChangeClass, what: string, place?: string, side?: Side) => void;

const structural = new Set(['parameters', 'requestBody', 'responses', 'security', 'servers', 'x-max-body-bytes']);
const words = new Set(['summary', 'description', 'tags', 'externalDocs', 'deprecated']);

/** Reports how an operation differs. */
export function compareOperations(comparison: Comparison, place: string, before: Operation, after: Operation): void {
  const tell: Tell = (kind, what, inner = '', side = 'request') => {
    comparison.report({ class: kind, side, place: at(place, inner), what });
  };
  for (const key of new Set([...Object.keys(before.members), ...Object.keys(after.members)])) {
    if (structural.has(key) || isDeepStrictEqual(before.members[key], after.members[key])) continue;
    // The name of the operation is the name of its function in a generated client.
    const isWords = words.has(key) || key.startsWith('x-');
    tell(isWords ? 'neutral' : 'breaking', `${key} changed`, '', 'contract');
  }
  compareParameters(comparison, place, tell, before.parameters, after.parameters);
  compareBodies(comparison, place, tell, before, after);
  compareSecurity(tell, before.security, after.security);
  compareServers(tell, before.servers, after.servers);
  compareReplies(comparison, place, before.members['responses'], after.members['responses']);
}

function compareParameters(
  comparison: Comparison,
  place: string,
  tell: Tell,
  before: readonly unknown[],
  after: readonly unknown[],
): void {
  const earlier = byName(comparison.before, before);
  const now = byName(comparison.after, after);
  for (const name of earlier.keys()) if (!now.has(name)) tell('breaking', 'the parameter is gone', name);
  for (const [name, parameter] of now) {
    const was = earlier.get(name);
    if (was !== undefined) compareParameter(comparison, tell, place, name, was, parameter);
    else if (parameter['required'] === true) tell('breaking', 'a new required parameter', name);
    else tell('additive', 'a new parameter', name);
  }
}

type Members = Readonly<Record<string, unknown>>;

function byName(document: unknown, list: readonly unknown[]): Map<string, Members> {
  return new Map(
    list.map((raw) => {
      const parameter = record(resolve(document, raw));
      const [name, where] = [String(parameter['name']), String(parameter['in'])];
      return [`${where} parameter ${where === 'header' ? name.toLowerCase() : name}`, parameter];
    }),
  );
}

function compareParameter(
  comparison: Comparison,
  tell: Tell,
  outer: string,
  name: string,
  before: Members,
  after: Members,
): void {
  const place = at(outer, name);
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (['name', 'in', 'schema', 'content'].includes(key) || isDeepStrictEqual(before[key], after[key])) continue;
    if (['description', 'example', 'examples', 'deprecated'].includes(key) || key.startsWith('x-')) {
      tell('neutral', `${key} changed`, name);
    } else if (key === 'required') {
      const required = after[key] === true;
      if (required !== (before[key] === true)) {
        tell(required ? 'breaking' : 'additive', required ? 'became required' : 'became optional', name);
      }
    } else if (key === 'allowEmptyValue' || key === 'allowReserved') {
      tell(after[key] === true ? 'additive' : 'breaking', `${key} changed`, name);
    } else if (!isDeepStrictEqual(serialization(before)[key], serialization(after)[key])) {
      tell('breaking', `${key} changed`, name);
    }
  }
  const position = { ...comparison, side: 'request', error: false } as const;
  if (before['schema'] !== undefined || after['schema'] !== undefined) {
    compareSchemas(position, place, before['schema'] ?? {}, after['schema'] ?? {});
  }
  compareContent(position, place, before['content'], after['content']);
}

/** How a parameter is written, with what the specification says where a document says nothing. */
function serialization(parameter: Members): Members {
  const where = parameter['in'];
  const style = parameter['style'] ?? (where === 'path' || where === 'header' ? 'simple' : 'form');
  return { ...parameter, style, explode: parameter['explode'] ?? style === 'form' };
}

function compareBodies(comparison: Comparison, place: string, tell: Tell, before: Operation, after: Operation): void {
  const earlier = record(resolve(comparison.before, before.members['requestBody']));
  const now = record(resolve(comparison.after, after.members['requestBody']));
  const [had, has] = [before.members, after.members].map((each) => each['requestBody'] !== undefined);
  if (had !== true && has !== true) return;
  if (had !== true) tell(now['required'] === true ? 'breaking' : 'additive', 'a new body', 'body');
  else if (has !== true) tell('breaking', 'the body is gone', 'body');
  else {
    for (const key of new Set([...Object.keys(earlier), ...Object.keys(now)])) {
      if (key === 'content' || isDeepStrictEqual(earlier[key], now[key])) continue;
      if (key === 'required') tell(now[key] === true ? 'breaking' : 'additive', 'required changed', 'body');
      else tell(key === 'description' || key.startsWith('x-') ? 'neutral' : 'breaking', `${key} changed`, 'body');
    }
    const position = { ...comparison, side: 'request', error: false } as const;
    compareContent(position, at(place, 'body'), earlier['content'], now['content']);
  }
  const [most, mostNow] = [before.maxBodyBytes, after.maxBodyBytes].map((each) => Number(each ?? Infinity));
  if (most !== mostNow) {
    const what = `the largest body: ${most} bytes became ${mostNow}`;
    tell(Number(mostNow) < Number(most) ? 'breaking' : 'additive', what, 'body');
  }
}

/** Each requirement is an alternative: a map from schemes to scopes. None at all means: no credentials. */
function compareSecurity(tell: Tell, before: unknown, after: unknown): void {
  const alternatives = (value: unknown): readonly Members[] =>
    entries(value).length === 0 ? [{}] : entries(value).map(record);
  const [earlier, now] = [alternatives(before), alternatives(after)];
  // A caller that met one requirement before must meet one now.
  for (const requirement of earlier) {
    if (!now.some((each) => isMetBy(each, requirement))) tell('breaking', 'more is demanded', 'security');
  }
  for (const requirement of now) {
    if (!earlier.some((each) => isMetBy(requirement, each) && isMetBy(each, requirement))) {
      tell('additive', `callers may show ${Object.keys(requirement).join(' and ') || 'nothing'}`, 'security');
    }
  }
}

/** Whether a caller with the credentials of `held` meets `demanded`. */
function isMetBy(demanded: Members, held: Members): boolean {
  return Object.entries(demanded).every(
    ([scheme, scopes]) => scheme in held && entries(scopes).every((scope) => entries(held[scheme]).includes(scope)),
  );
}

function compareServers(tell: Tell, before: unknown, after: unknown): void {
  const addresses = (value: unknown): string[] => entries(value).map((each) => String(record(each)['url']));
  const [earlier, now] = [addresses(before), addresses(after)];
  for (const url of earlier.filter((each) => !now.includes(each))) tell('breaking', `${url} is gone`, 'servers');
  for (const url of now.filter((each) => !earlier.includes(each))) tell('additive', `a new server: ${url}`, 'servers');
  if (isDeepStrictEqual(earlier, now) && !isDeepStrictEqual(before, after)) {
    const variables = (value: unknown): unknown => entries(value).map((each) => record(each)['variables']);
    const same = isDeepStrictEqual(variables(before), variables(after));
    tell(same ? 'neutral' : 'breaking', same ? 'words changed' : 'variables changed', 'servers');
  }
}
