import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Change } from '../../../src/contract-tools/diff/change.js';
import { compareDocuments } from '../../../src/contract-tools/diff/compare-documents.js';
import { gravest } from '../../../src/contract-tools/diff/versions.js';
import { booksContract } from './books-contract.js';
import { oracleDifferences } from './oracle-differences.js';
import { mutations, type Classes, type Mutation } from './mutations.js';

test('equal contracts have no changes', () => {
  expect(compareDocuments(booksContract(), booksContract())).toEqual([]);
});

test.each(mutations)('classifies: $name', ({ mutate, forward, backward }) => {
  const mutated = booksContract();
  mutate(mutated);
  expect(classesOf(compareDocuments(booksContract(), mutated))).toEqual(forward);
  expect(classesOf(compareDocuments(mutated, booksContract()))).toEqual(backward);
});

test('reports one change of a property with its place', () => {
  const mutated = booksContract();
  mutations.find(({ name }) => name === 'parameter: a shorter text')?.mutate(mutated);
  expect(compareDocuments(booksContract(), mutated)).toEqual([
    { class: 'breaking', side: 'request', place: 'GET /books > query parameter q', what: 'maxLength: 50 became 9' },
  ]);
});

test.each(['platform', 'compose'])('notices the removal of any part of the contract %s', (name) => {
  const contract: unknown = JSON.parse(readFileSync(`generated/${name}/openapi.json`, 'utf8'));
  const silent: string[] = [];
  let removed = 0;
  for (const place of sample(placesBelow(contract, []), 40)) {
    const mutated: unknown = structuredClone(contract);
    const outer = place.slice(0, -1).reduce<unknown>(member, mutated);
    if (typeof outer !== 'object' || outer === null) throw new Error('a place without an object around it');
    Reflect.deleteProperty(outer, place.at(-1) ?? '');
    removed += 1;
    try {
      if (compareDocuments(contract, mutated).length === 0) silent.push(place.join(' '));
    } catch (error) {
      // A reference to what was removed: noticed as well.
      expect(String(error)).toContain('points to nothing');
    }
  }
  expect(removed).toBeGreaterThanOrEqual(40);
  expect(silent).toEqual([]);
});

test('treats the different notations of OpenAPI 3.0 and 3.1 as equal', () => {
  const schema = (value: unknown): unknown => ({
    openapi: '3.1.0',
    paths: { '/x': { get: { responses: { '200': { content: { 'application/json': { schema: value } } } } } } },
  });
  const old = schema({ type: 'string', nullable: true, enum: ['a'] });
  const now = schema({ type: ['string', 'null'], enum: ['a', null] });
  expect(classesOf(compareDocuments(old, now))).toEqual(['-', '-', 'neutral']);
  const strict = schema({ type: 'number', minimum: 0, exclusiveMinimum: true });
  expect(compareDocuments(strict, schema({ type: 'number', exclusiveMinimum: 0 }))).toEqual([
    expect.objectContaining({ class: 'neutral' }),
  ]);
});

const oasdiff = process.env['TEST_OASDIFF'] ?? 'oasdiff';
const withoutOracle = spawnSync(oasdiff, ['--version']).status === 0 ? '' : ' (skipped: oasdiff is not installed)';
const folder = mkdtempSync(join(tmpdir(), 'oasdiff-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test.skipIf(withoutOracle !== '').each(mutations)(`oasdiff agrees: $name${withoutOracle}`, (mutation) => {
  const ours = breaksWhere(mutation);
  const theirs = oracleBreaksWhere(mutation);
  const reason = oracleDifferences.get(mutation.name);
  if (reason === undefined) expect(ours).toEqual(theirs);
  else expect(ours, `the reason is obsolete: ${reason}`).not.toEqual(theirs);
});

function breaksWhere({ forward, backward }: Mutation): { forward: boolean; backward: boolean } {
  return { forward: forward.includes('breaking'), backward: backward.includes('breaking') };
}

function oracleBreaksWhere({ mutate }: Mutation): { forward: boolean; backward: boolean } {
  const mutated = booksContract();
  mutate(mutated);
  const [old, now] = [join(folder, 'old.json'), join(folder, 'new.json')];
  writeFileSync(old, JSON.stringify(booksContract()));
  writeFileSync(now, JSON.stringify(mutated));
  const breaks = (from: string, to: string): boolean =>
    execFileSync(oasdiff, ['breaking', from, to, '--format', 'json'], { encoding: 'utf8' }).trim().length > 4;
  return { forward: breaks(old, now), backward: breaks(now, old) };
}

function classesOf(changes: readonly Change[]): Classes {
  const of = (side: string): Classes[0] => gravest(changes.filter((each) => each.side === side)) ?? '-';
  return [of('request'), of('reply'), of('contract')];
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Object.entries(value).find(([name]) => name === key)?.[1] : null;
}

/** Every member of an object below a value. Entries of lists move up when one is deleted, so lists stay whole. */
function placesBelow(value: unknown, place: readonly string[]): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(Array.isArray(value) ? [] : [[...place, key]]),
    ...placesBelow(inner, [...place, key]),
  ]);
}

/** Entries spread evenly over a list. */
function sample<Entry>(list: readonly Entry[], count: number): Entry[] {
  const step = Math.max(1, Math.floor(list.length / count));
  return list.filter((_, index) => index % step === 0);
}
