import { isDeepStrictEqual } from 'node:util';
import { record, resolve } from '../documents.js';
import { at, type ChangeClass } from './change.js';
import { compareSchemas } from './compare-schemas.js';
import type { Comparison, Position } from './position.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * Reports how the replies of an operation differ. Clients must handle errors that they do not know by the class of
 * their status; so a new error status is additive, and one that is gone takes nothing away. A new success or redirect
 * is breaking: a client that waits for 200 does not know what 202 means.
 */
export function compareReplies(comparison: Comparison, place: string, before: unknown, after: unknown): void {
  const [old, now] = [record(before), record(after)];
  const tell = (kind: ChangeClass, status: string, what: string): void => {
    comparison.report({ class: kind, side: 'reply', place: at(place, status), what });
  };
  for (const status of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (status.startsWith('x-')) {
      if (!isDeepStrictEqual(old[status], now[status])) tell('neutral', status, 'changed');
      continue;
    }
    if (!(status in now)) tell(isError(status) ? 'additive' : 'breaking', status, 'the status is gone');
    else if (!(status in old)) tell(isError(status) ? 'additive' : 'breaking', status, 'a new status');
    else compareReply(comparison, place, status, old[status], now[status]);
  }
}

function isError(status: string): boolean {
  return /^[45]/.test(status) || status === 'default';
}

function compareReply(comparison: Comparison, outer: string, status: string, before: unknown, after: unknown): void {
  const place = at(outer, status);
  const old = record(resolve(comparison.before, before));
  const now = record(resolve(comparison.after, after));
  const tell = (kind: ChangeClass, what: string, inner = ''): void => {
    comparison.report({ class: kind, side: 'reply', place: at(place, inner), what });
  };
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (key === 'content' || key === 'headers' || isDeepStrictEqual(old[key], now[key])) continue;
    const isWords = key === 'description' || key === 'summary' || key.startsWith('x-');
    tell(isWords ? 'neutral' : 'breaking', `${key} changed`);
  }
  const position = { ...comparison, side: 'reply', error: isError(status) } as const;
  compareContent(position, place, old['content'], now['content']);
  compareHeaders(position, place, old['headers'], now['headers']);
}

/** Reports how a map from media types to schemas differs. */
export function compareContent(position: Position, place: string, before: unknown, after: unknown): void {
  const [old, now] = [record(before), record(after)];
  const tell = (kind: ChangeClass, mediaType: string, what: string): void => {
    position.report({ class: kind, side: position.side, place: at(place, mediaType), what });
  };
  for (const mediaType of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (!(mediaType in now)) tell('breaking', mediaType, 'the media type is gone');
    // A reply in a media type that the client does not accept is not sent to it.
    else if (!(mediaType in old)) tell('additive', mediaType, 'a new media type');
    else {
      const [was, is] = [record(old[mediaType]), record(now[mediaType])];
      for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
        if (key === 'schema' || isDeepStrictEqual(was[key], is[key])) continue;
        const isWords = key === 'example' || key === 'examples' || key.startsWith('x-');
        tell(isWords ? 'neutral' : 'breaking', mediaType, `${key} changed`);
      }
      compareSchemas(position, at(place, mediaType), was['schema'] ?? {}, is['schema'] ?? {});
    }
  }
}

function compareHeaders(position: Position, outer: string, before: unknown, after: unknown): void {
  const [old, now] = [byName(position.before, before), byName(position.after, after)];
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(name), now.get(name)];
    const tell = (kind: ChangeClass, what: string): void => {
      position.report({ class: kind, side: 'reply', place: at(outer, `header ${name}`), what });
    };
    if (is === undefined) tell('breaking', 'the header is gone');
    else if (was === undefined) tell('additive', 'a new header');
    else compareHeader(position, at(outer, `header ${name}`), tell, was, is);
  }
}

function compareHeader(
  position: Position,
  place: string,
  tell: (kind: ChangeClass, what: string) => void,
  before: Members,
  after: Members,
): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (key === 'schema' || key === 'content' || isDeepStrictEqual(before[key], after[key])) continue;
    if (['description', 'example', 'examples', 'deprecated'].includes(key) || key.startsWith('x-')) {
      tell('neutral', `${key} changed`);
    } else if (key === 'required') {
      const [had, has] = [before[key] === true, after[key] === true];
      if (had !== has) tell(has ? 'additive' : 'breaking', has ? 'is always sent' : 'is not always sent any more');
    } else tell('breaking', `${key} changed`);
  }
  compareSchemas(position, place, before['schema'] ?? {}, after['schema'] ?? {});
  compareContent(position, place, before['content'], after['content']);
}

/** Names of headers do not depend on case, and a `Content-Type` among them says nothing (OpenAPI, "Response Object"). */
function byName(document: unknown, headers: unknown): Map<string, Members> {
  return new Map(
    Object.entries(record(headers))
      .map(([name, header]): [string, Members] => [name.toLowerCase(), record(resolve(document, header))])
      .filter(([name]) => name !== 'content-type'),
  );
}
