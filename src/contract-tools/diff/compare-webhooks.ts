import { isDeepStrictEqual } from 'node:util';
import { httpMethods, record, resolve } from '../documents.js';
import { at, type ChangeClass, type Side } from './change.js';
import { compareContent } from './compare-replies.js';
import type { Comparison } from './position.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * Reports how the requests differ that the server sends. Their payloads are judged as replies are, since clients read
 * them. A new webhook is additive: clients get only those that they have asked for.
 */
export function compareWebhooks(comparison: Comparison): void {
  const [before, after] = [webhooksOf(comparison.before), webhooksOf(comparison.after)];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(name), after.get(name)];
    const place = `webhook ${name}`;
    const tell = (kind: ChangeClass, side: Side, what: string): void => {
      comparison.report({ class: kind, side, place: at(place), what });
    };
    if (now === undefined) tell('breaking', 'contract', 'the webhook is gone');
    else if (old === undefined) tell('additive', 'contract', 'a new webhook');
    else {
      compareMembers(tell, old, now);
      comparePayloads(comparison, place, tell, old, now);
    }
  }
}

/** By name, and by method where it is not POST. */
function webhooksOf(document: unknown): Map<string, Members> {
  const found = new Map<string, Members>();
  for (const [name, raw] of Object.entries(record(record(document)['webhooks']))) {
    const item = record(resolve(document, raw));
    for (const method of httpMethods) {
      if (item[method] === undefined) continue;
      const { parameters } = item;
      const members = parameters === undefined ? record(item[method]) : { parameters, ...record(item[method]) };
      found.set(method === 'post' ? name : `${method.toUpperCase()} ${name}`, members);
    }
  }
  return found;
}

const words = new Set(['summary', 'description', 'tags', 'deprecated', 'externalDocs', 'operationId']);

function compareMembers(tell: (kind: ChangeClass, side: Side, what: string) => void, old: Members, now: Members): void {
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (key === 'requestBody' || isDeepStrictEqual(old[key], now[key])) continue;
    const isWords = words.has(key) || key.startsWith('x-');
    tell(isWords ? 'neutral' : 'breaking', 'contract', `${key} changed`);
  }
}

function comparePayloads(
  comparison: Comparison,
  place: string,
  tell: (kind: ChangeClass, side: Side, what: string) => void,
  before: Members,
  after: Members,
): void {
  const old = record(resolve(comparison.before, before['requestBody']));
  const now = record(resolve(comparison.after, after['requestBody']));
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (key === 'content' || isDeepStrictEqual(old[key], now[key])) continue;
    if (key === 'required') {
      const isAlways = now[key] === true;
      tell(isAlways ? 'additive' : 'breaking', 'reply', `the payload is ${isAlways ? 'always' : 'not always'} sent`);
    } else {
      tell(key === 'description' || key.startsWith('x-') ? 'neutral' : 'breaking', 'reply', `payload ${key} changed`);
    }
  }
  const position = { ...comparison, side: 'reply', error: false } as const;
  compareContent(position, at(place, 'payload'), old['content'], now['content']);
}
