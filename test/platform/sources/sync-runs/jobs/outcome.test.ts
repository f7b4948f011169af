import { expect, it } from 'vitest';
import { outcomeOf } from '../../../../../src/platform/sources/sync-runs/jobs/job-outcome.js';
import type { StepResult } from '../../../../../src/platform/sources/sync-runs/jobs/sync-job.js';
import type { SyncFailure, SyncFailureCode } from '../../../../../src/sync/failures.js';

function step(selected: string, error: SyncFailure | null): StepResult {
  const repository = {
    id: null,
    name: selected,
    status: error === null ? 'ok' : 'failed',
    records: {},
    error,
  } as const;
  return { selected, target: 'git', repositories: [repository], error: null };
}

const failed = (code: SyncFailureCode, message: string): SyncFailure => ({ code, message });

it('is complete when nothing failed', () => {
  expect(outcomeOf([step('a', null)], [])).toEqual({ status: 'complete', error: null, isWorthRetrying: false });
});

it.each<[SyncFailureCode, boolean]>([
  ['host_unavailable', true],
  ['rate_limited', true],
  ['database_failed', true],
  ['unauthorized', false],
  ['not_found', false],
  ['unexpected_reply', false],
  ['internal', false],
])('after %s, another attempt is worth it: %s', (code, expected) => {
  expect(outcomeOf([step('a', failed(code, 'no'))], []).isWorthRetrying).toBe(expected);
});

it('is partial when something was read, with the reasons of the rest', () => {
  const steps = [
    step('a', null),
    step('b', failed('not_found', 'is not there')),
    step('c', failed('internal', 'Broken!')),
  ];
  expect(outcomeOf(steps, [])).toMatchObject({ status: 'partial', error: 'b: is not there. c: Broken!' });
});

it('lists each reason once, and at most five', () => {
  const names = ['a', 'a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const { status, error } = outcomeOf(
    names.map((name) => step(name, failed('not_found', 'no'))),
    [],
  );
  expect(status).toBe('failed');
  expect(error).toBe('a: no. b: no. c: no. d: no. e: no. And 2 more.');
});

it('keeps a reason short, on one line, and free of secrets', () => {
  const message = `line one\nhunter2 and https://user:pass@host/x ${'x'.repeat(1000)}`;
  const error = outcomeOf([step('a', failed('internal', message))], ['hunter2']).error ?? '';
  expect(error).toContain('a: line one *** and https://***@host/x xxx');
  expect(error.length).toBeLessThan(520);
  expect(error).not.toContain('\n');
});
