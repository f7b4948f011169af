import { describe, expect, it } from 'vitest';
import { settlementOf } from '../../../../../src/platform/sources/sync-runs/jobs/settlement.js';
import type { ExecutionEnd, StepResult } from '../../../../../src/platform/sources/sync-runs/jobs/sync-job.js';

const now = new Date('2026-03-02T09:00:00Z');
const finished: ExecutionEnd = { kind: 'finished' };
const died: ExecutionEnd = { kind: 'died', reason: 'SIGKILL' };
const away: StepResult = {
  selected: 'acme/api',
  target: 'git',
  repositories: [],
  error: { code: 'host_unavailable', message: 'The host is away' },
};
const run = { attempts: 1, steps: [away], isStopping: false, overdue: null, secrets: [] };

describe('a run whose execution', () => {
  it('finished without a failure is complete', () => {
    expect(settlementOf(finished, { ...run, steps: [] }, now)).toEqual({
      kind: 'end',
      status: 'complete',
      error: null,
    });
  });

  it.each([
    [1, '09:00:15'],
    [2, '09:00:30'],
    [3, '09:01:00'],
    [4, '09:02:00'],
    [5, '09:04:00'],
  ])('failed with a temporary error at attempt %i waits until %s', (attempts, until) => {
    for (const end of [finished, died]) {
      expect(settlementOf(end, { ...run, attempts }, now)).toMatchObject({
        kind: 'put back',
        availableAt: new Date(`2026-03-02T${until}Z`),
        counts: true,
      });
    }
  });

  it('failed for the sixth time has failed', () => {
    const last = { ...run, attempts: 6 };
    const reason = 'acme/api: The host is away.';
    expect(settlementOf(finished, last, now)).toEqual({ kind: 'end', status: 'failed', error: reason });
    const death = 'The sync process died.';
    expect(settlementOf(died, last, now)).toEqual({ kind: 'end', status: 'failed', error: death });
  });

  it.each([
    ['was stopped', { kind: 'stopped' } as const, false],
    ['was cut off by the end of its server', died, true],
  ])('%s resumes at once, and does not count as an attempt', (_what, end, isStopping) => {
    const back = { kind: 'put back', availableAt: now, error: null, counts: false };
    expect(settlementOf(end, { ...run, attempts: 6, isStopping }, now)).toEqual(back);
  });

  it.each([
    ['was stopped after its deadline', { kind: 'stopped' } as const, 'It took too long.'],
    ['was killed after its deadline', died, 'It took too long.'],
    ['sent too many requests', { kind: 'exhausted', reason: 'It took too long.' } as const, null],
  ])('%s ends with what it has read, and is not repeated', (_what, end, overdue) => {
    const read: StepResult = {
      ...away,
      repositories: [{ id: null, name: 'acme/api', status: 'ok', records: {}, error: null }],
      error: null,
    };
    const ended = { kind: 'end', status: 'partial', error: 'It took too long.' };
    expect(settlementOf(end, { ...run, steps: [read], overdue }, now)).toEqual(ended);
    expect(settlementOf(end, { ...run, steps: [], overdue }, now)).toEqual({ ...ended, status: 'failed' });
    const error = 'It took too long. acme/api: The host is away.';
    expect(settlementOf(end, { ...run, overdue }, now)).toEqual({ kind: 'end', status: 'failed', error });
  });

  it('finished although it was past its deadline has its outcome', () => {
    expect(settlementOf(finished, { ...run, steps: [], overdue: 'late' }, now)).toMatchObject({ status: 'complete' });
  });

  it('finished while its server stopped has its outcome', () => {
    expect(settlementOf(finished, { ...run, steps: [], isStopping: true }, now).kind).toBe('end');
  });
});
