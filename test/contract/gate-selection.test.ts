import { describe, expect, test } from 'vitest';
import type { JudgedUnit, Verdict } from '../../src/contract-tools/gate/judge.js';
import { operationsAskedFor, printFailing, selected } from './gate/selection.js';

const unit = (mark: JudgedUnit['mark'], ...names: string[]): JudgedUnit => ({ unit: names, mark, reason: null });
const verdict = (...units: JudgedUnit[]): Verdict => ({
  surfaces: [{ name: 'platform', units, faults: [] }],
  staleExceptions: [],
  passed: false,
});

describe('The gate for some operations', () => {
  const mixed = verdict(unit('seen', 'listTeams', '200'), unit('missing', 'getMe', '200'));

  test('passes if they are seen, regardless of others', () => {
    expect(selected(mixed, new Set(['listTeams'])).passed).toBe(true);
    expect(printFailing(selected(mixed, new Set(['listTeams'])))).toBe(
      'platform: 1 of 1 documented units seen (100 %)\nThe contract gate is green.',
    );
  });

  test('fails if a reply of them is missing or undocumented', () => {
    expect(selected(mixed, new Set(['getMe'])).passed).toBe(false);
    expect(selected(verdict(unit('undocumented', 'getMe', '418')), new Set(['getMe'])).passed).toBe(false);
  });

  test('finds operations by id and by tag, and refuses names that no contract has', () => {
    const ask = (operations: string[], tags: string[]): ReadonlySet<string> =>
      operationsAskedFor(process.cwd(), ['platform', 'compose'], { operations, tags });
    expect(ask(['getMe'], [])).toEqual(new Set(['getMe']));
    expect(ask([], ['teams'])).toContain('listTeams');
    expect(ask([], ['teams'])).not.toContain('getMe');
    expect(() => ask(['getYou'], [])).toThrow('no contract has an operation getYou');
    expect(() => ask([], ['cats'])).toThrow('no contract has a tag cats');
  });
});

test('A partial run prints at most 60 lines of failures', () => {
  const units = Array.from({ length: 2500 }, (_, index) => unit('missing', `operation${index}`, '200'));
  const lines = printFailing(verdict(...units)).split('\n');
  expect(lines).toHaveLength(63);
  expect(lines[60]).toBe('and 2440 more; the page has all of them');
});
