import { describe, expect, it } from 'vitest';
import { settlementOf } from '../../../../src/platform/sync/jobs/settlement.js';
import type { ExecutionEnd, StepResult } from '../../../../src/platform/sync/jobs/sync-job.js';

const now = new Date('2026-03-02T09:00:00Z');
const finished: ExecutionEnd = { kind: 'finished' };
const died: ExecutionEnd = { kind: 'died', reason: 'SIGKILL' };
const away: StepResult = {
  selected: 'acme/api',
  target: 'git',
  repositories: [],
  error: { code: 'host_unavailable', message: 'The host is away' },
};
const run = { attempts: 1, steps: [away], isStopping: false, secrets: [] };

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
  ])('failed for a passing reason at attempt %i waits until %s', (attempts, until) => {
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

  it('finished while its server stopped has its outcome', () => {
    expect(settlementOf(finished, { ...run, steps: [], isStopping: true }, now).kind).toBe('end');
  });
});
