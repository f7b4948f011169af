import { isDeepStrictEqual } from 'node:util';
import { entries, record, resolve } from '../documents.js';
import { at, classOf, type ChangeClass, type Effect } from './change.js';
import { matchBranches } from './match-branches.js';
import type { Position } from './position.js';
import {
  annotations,
  lowerLimits,
  normalized,
  restrictions,
  structural,
  subschemas,
  typesOf,
  upperLimits,
} from './schema-keywords.js';

type Schema = Readonly<Record<string, unknown>>;

/** Reports how two schemas differ. A pair that many places refer to is reported at the first. */
export function compareSchemas(position: Position, place: string, rawBefore: unknown, rawAfter: unknown): void {
  const role = `${position.side} ${position.error ? 'error' : ''}`;
  if (position.isKnown(rawBefore, rawAfter, role)) return;
  const resolvedBefore = resolve(position.before, rawBefore);
  const resolvedAfter = resolve(position.after, rawAfter);
  if (resolvedBefore !== rawBefore && position.isKnown(resolvedBefore, resolvedAfter, role)) return;
  const before = normalized(resolvedBefore);
  const after = normalized(resolvedAfter);
  compareAlternatives(position, place, before, after);
}

function compareAlternatives(position: Position, place: string, before: Schema, after: Schema): void {
  for (const key of ['oneOf', 'anyOf'] as const) {
    const listed = [before[key], after[key]].map((each) => (Array.isArray(each) ? entries(each) : null));
    const [listBefore = null, listAfter = null] = listed;
    if (listBefore === null && listAfter === null) continue;
    if (listBefore === null || listAfter === null) {
      // One schema became several, or the other way round: it counts as a list of one.
      compareLists(position, place, listBefore ?? [before], listAfter ?? [after]);
      return;
    }
    compareLists(position, place, listBefore, listAfter);
  }
  compareKeywords(position, place, before, after);
}

function compareLists(position: Position, place: string, before: readonly unknown[], after: readonly unknown[]): void {
  const { pairs, removed, added } = matchBranches(position, before, after);
  for (const [old, now] of pairs) compareSchemas(position, place, old, now);
  for (const name of removed) effect(position, place, 'narrows', `the alternative ${name} is gone`);
  for (const name of added) {
    const what = `a new alternative: ${name}`;
    if (position.error) change(position, 'additive', place, what);
    else effect(position, place, 'widens', what);
  }
}

function compareKeywords(position: Position, place: string, before: Schema, after: Schema): void {
  compareTypes(position, place, before, after);
  compareValues(position, place, before['enum'], after['enum']);
  compareProperties(position, place, before, after);
  compareAllOf(position, place, entries(before['allOf']), entries(after['allOf']));
  comparePrefix(position, place, entries(before['prefixItems']), entries(after['prefixItems']));
  compareAccess(position, place, before, after);
  if (!isDeepStrictEqual(before['uniqueItems'] === true, after['uniqueItems'] === true)) {
    effect(position, place, after['uniqueItems'] === true ? 'narrows' : 'widens', 'uniqueItems changed');
  }
  if (!isDeepStrictEqual(before['default'], after['default'])) {
    effect(position, place, position.side === 'request' ? 'changes' : 'annotates', 'the default changed');
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!structural.has(key)) compareKeyword(position, place, key, before[key], after[key]);
  }
}

function compareKeyword(position: Position, place: string, key: string, before: unknown, after: unknown): void {
  if (isDeepStrictEqual(before, after) && !subschemas.has(key)) return;
  const told = (kind: Effect): void => {
    effect(position, place, kind, `${key}: ${shown(before)} became ${shown(after)}`);
  };
  const lowest = lowerLimits.get(key);
  if (annotations.has(key)) effect(position, place, 'annotates', `${key} changed`);
  else if (key === 'x-normalize' && position.side === 'request') told('changes');
  else if (key.startsWith('x-')) effect(position, place, 'annotates', `${key} changed`);
  else if (lowest !== undefined) told(Number(after ?? lowest) > Number(before ?? lowest) ? 'narrows' : 'widens');
  else if (upperLimits.has(key)) {
    told(Number(after ?? Infinity) < Number(before ?? Infinity) ? 'narrows' : 'widens');
  } else if (subschemas.has(key) && before !== undefined && after !== undefined) {
    compareSchemas(position, `${place}/${key === 'items' ? '*' : key}`, before, after);
  } else if (restrictions.has(key) || subschemas.has(key)) {
    if (before === undefined) told('narrows');
    else told(after === undefined ? 'widens' : 'changes');
  } else told('changes');
}

function compareTypes(position: Position, place: string, before: Schema, after: Schema): void {
  const [old, now] = [typesOf(before), typesOf(after)];
  const gone = [...old].filter((type) => !now.has(type));
  const come = [...now].filter((type) => !old.has(type));
  const what = `type: ${shown(before['type'])} became ${shown(after['type'])}`;
  if (gone.length > 0 && come.length > 0) effect(position, place, 'changes', what);
  else if (gone.length > 0) effect(position, place, 'narrows', what);
  else if (come.length > 0) effect(position, place, 'widens', what);
}

function compareValues(position: Position, place: string, before: unknown, after: unknown): void {
  if (before === undefined && after === undefined) return;
  if (before === undefined) effect(position, place, 'narrows', `only ${shown(after)} is left`);
  else if (after === undefined) effect(position, place, 'widens', `no longer limited to ${shown(before)}`);
  else {
    const lacks = (list: unknown, value: unknown): boolean =>
      !entries(list).some((each) => isDeepStrictEqual(each, value));
    for (const value of entries(before).filter((each) => lacks(after, each))) {
      effect(position, place, 'narrows', `the value ${shown(value)} is gone`);
    }
    for (const value of entries(after).filter((each) => lacks(before, each))) {
      effect(position, place, 'widens', `a new value: ${shown(value)}`);
    }
  }
}

function compareProperties(position: Position, place: string, before: Schema, after: Schema): void {
  const [old, now] = [record(before['properties']), record(after['properties'])];
  const requiredBefore = new Set(entries(before['required']).map(String));
  const requiredAfter = new Set(entries(after['required']).map(String));
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (!(name in now)) change(position, 'breaking', place, `the property ${name} is gone`);
    else if (!(name in old)) {
      const refusesOld = position.side === 'request' && requiredAfter.has(name);
      const kind = refusesOld ? 'a new required property' : 'a new property';
      change(position, refusesOld ? 'breaking' : 'additive', place, `${kind}: ${name}`);
    } else compareSchemas(position, `${place}/${name}`, old[name], now[name]);
  }
  const isNew = (name: string): boolean => name in now && !(name in old);
  const isGone = (name: string): boolean => name in old && !(name in now);
  for (const name of [...requiredAfter].filter((each) => !requiredBefore.has(each) && !isNew(each))) {
    effect(position, place, 'narrows', `the property ${name} became required`);
  }
  for (const name of [...requiredBefore].filter((each) => !requiredAfter.has(each) && !isGone(each))) {
    effect(position, place, 'widens', `the property ${name} became optional`);
  }
  compareOthers(position, place, before['additionalProperties'] ?? true, after['additionalProperties'] ?? true);
}

/** Compares what is said about properties without a name: closed, open, or a map. */
function compareOthers(position: Position, place: string, before: unknown, after: unknown): void {
  if (before === after) return;
  if (before === false) {
    // Clients ignore properties that they do not know.
    change(position, 'additive', place, 'other properties are allowed');
  } else if (after === false) {
    const isMap = before !== true;
    const breaks = position.side === 'request' || isMap;
    change(position, breaks ? 'breaking' : 'additive', place, 'other properties are not allowed any more');
  } else compareSchemas(position, `${place}/{name}`, before, after);
}

function compareAllOf(position: Position, place: string, before: readonly unknown[], after: readonly unknown[]): void {
  const { pairs, removed, added } = matchBranches(position, before, after);
  for (const [old, now] of pairs) compareSchemas(position, place, old, now);
  for (const name of removed) effect(position, place, 'changes', `allOf: ${name} is gone`);
  for (const name of added) effect(position, place, 'changes', `allOf: ${name} is new`);
}

function comparePrefix(position: Position, place: string, before: readonly unknown[], after: readonly unknown[]): void {
  for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
    if (index >= before.length) effect(position, place, 'narrows', `prefixItems ${index} is new`);
    else if (index >= after.length) effect(position, place, 'widens', `prefixItems ${index} is gone`);
    else compareSchemas(position, `${place}/${index}`, before[index], after[index]);
  }
}

/** `readOnly` takes a property out of requests, `writeOnly` out of replies. */
function compareAccess(position: Position, place: string, before: Schema, after: Schema): void {
  for (const [key, side] of [
    ['readOnly', 'request'],
    ['writeOnly', 'reply'],
  ] as const) {
    const [old, now] = [before[key] === true, after[key] === true];
    if (old === now) continue;
    if (position.side !== side) effect(position, place, 'annotates', `${key} changed`);
    else change(position, now ? 'breaking' : 'additive', place, `${key} ${now ? 'added' : 'removed'}`);
  }
}

function effect(position: Position, place: string, kind: Effect, what: string): void {
  change(position, classOf(position.side, kind), place, what);
}

function change({ side, report }: Position, kind: ChangeClass, place: string, what: string): void {
  report({ class: kind, side, place: at(place), what });
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
