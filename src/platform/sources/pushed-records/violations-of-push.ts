import type { Violation } from '@plumbline/contract/violations';
import { instantOf } from '@plumbline/contract/instant';
import { isAddress, notAnAddress } from './clean-address.js';
import { latestTime } from './latest-time.js';
import type { PushedContent } from './pushed-rows.js';

/** What the contract cannot say of a push. */
export function violationsOfPush(
  { deployments = [], incidents = [], builds = [], issues = [] }: PushedContent,
  now: Date,
): readonly Violation[] {
  const latest = latestTime(now);
  return [
    ...deployments.flatMap((deployment, index) => {
      const path = `/body/deployments/${index}`;
      const { repository, status, started_at: begin, finished_at: end } = deployment;
      return [
        ...violationsOfRepository(path, repository),
        ...violationsOfTimes(path, latest, ['started_at', begin], ['finished_at', end]),
        ...violationsOfTimes(`${path}/commit`, latest, ['committed_at', deployment.commit?.committed_at]),
        ...violationsOfEnd(path, status, end),
        ...(status === 'success' && isAbsent(end)
          ? [{ path: `${path}/finished_at`, rule: 'required', message: 'is required for a success' }]
          : []),
      ];
    }),
    ...incidents.flatMap(({ repository, started_at: begin, resolved_at: end }, index) => {
      const path = `/body/incidents/${index}`;
      return [
        ...violationsOfRepository(path, repository),
        ...violationsOfTimes(path, latest, ['started_at', begin], ['resolved_at', end]),
      ];
    }),
    ...builds.flatMap(({ repository, status, queued_at: queued, started_at: begin, finished_at: end }, index) => {
      const path = `/body/builds/${index}`;
      return [
        ...violationsOfRepository(path, repository),
        ...violationsOfTimes(path, latest, ['queued_at', queued], ['started_at', begin], ['finished_at', end]),
        ...violationsOfEnd(path, status, end),
      ];
    }),
    ...issues.flatMap(({ repository, created_at: begin, closed_at: end, close_reason: reason }, index) => {
      const path = `/body/issues/${index}`;
      return [
        ...violationsOfRepository(path, repository),
        ...violationsOfTimes(path, latest, ['created_at', begin], ['closed_at', end]),
        ...(isAbsent(end) && !isAbsent(reason)
          ? [{ path: `${path}/close_reason`, rule: 'type', message: 'must be absent while the issue is open' }]
          : []),
      ];
    }),
  ];
}

function isAbsent(value: string | null | undefined): boolean {
  return value === null || value === undefined;
}

function violationsOfRepository(path: string, repository: string): Violation[] {
  if (isAddress(repository)) return [];
  return [{ path: `${path}/repository`, rule: 'format', message: notAnAddress }];
}

function violationsOfEnd(path: string, status: string, end: string | null | undefined): Violation[] {
  if (status !== 'in_progress' || isAbsent(end)) return [];
  return [{ path: `${path}/finished_at`, rule: 'type', message: 'must be absent while it is in progress' }];
}

/** Each time is within the range, and none is before the one that precedes it. @param times in their order */
function violationsOfTimes(
  path: string,
  latest: number,
  ...times: readonly (readonly [name: string, time: string | null | undefined])[]
): Violation[] {
  const violations: Violation[] = [];
  let before: { readonly name: string; readonly at: number } | undefined;
  for (const [name, time] of times) {
    if (time === null || time === undefined) continue;
    const at = instantOf(time).getTime();
    const refuse = (rule: string, message: string): void =>
      void violations.push({ path: `${path}/${name}`, rule, message });
    if (at === 0)
      refuse('minimum', 'must be after 1970 began'); // earlier times are clamped
    else if (at > latest) refuse('maximum', 'must not be in the future');
    else if (before !== undefined && at < before.at) refuse('minimum', `must not be before ${before.name}`);
    before = { name, at };
  }
  return violations;
}
