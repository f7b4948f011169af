import type { Schemas } from '../../../../generated/platform/operations.js';
import { describedProvider, isCodeHost } from '../../../sync/providers/registry.js';
import type { Violation } from '@plumbline/contract/violations';

type SyncProvider = Schemas['SyncProvider'];

/** The targets that the provider does not support. */
export function violationsOfTargets(provider: SyncProvider, targets: readonly Schemas['SyncTarget'][]): Violation[] {
  const supported = describedProvider(provider).targets;
  const message = `must be one of ${supported.join(', ')}: ${provider} supports nothing else`;
  return targets.flatMap((target, index) =>
    supported.includes(target) ? [] : [{ path: `/body/targets/${index}`, rule: 'enum', message }],
  );
}

/**
 * Repositories on the server are for organizations that the operator names.
 *
 * @param root the folder that this organization may read; null: none
 */
export function violationsOfLocal(provider: SyncProvider, root: string | null): Violation[] {
  if (provider !== 'local' || root !== null) return [];
  const message = 'must not be local: the server shares no directory with this organization';
  return [{ path: '/body/provider', rule: 'allowed', message }];
}

/** Code hosts require an integration; other providers do not accept one. */
export function violationsOfIntegration(
  provider: SyncProvider,
  integrationId: string | null,
  part: 'body' | 'query' = 'body',
): Violation[] {
  const path = `/${part}/integration_id`;
  const isMissing = integrationId === null;
  if (isCodeHost(provider) && isMissing) return [{ path, rule: 'required', message: `is required for ${provider}` }];
  if (isCodeHost(provider) || isMissing) return [];
  return [{ path, rule: 'type', message: `must be absent: ${provider} is read without an integration` }];
}

/** The violation for an integration that does not exist in the organization, or has another provider. */
export function unknownIntegration(provider: SyncProvider, part: 'body' | 'query' = 'body'): Violation {
  const message = `must be an integration of this organization for ${provider}`;
  return { path: `/${part}/integration_id`, rule: 'exists', message };
}

/** Configuration names must be unique. */
export const nameTaken: Violation = {
  path: '/body/name',
  rule: 'unique',
  message: 'is the name of another sync configuration',
};

/** Exceptions leave something out of other repositories. */
export function violationsOfRepositories(repositories: readonly string[]): Violation[] {
  const violation = (index: number, message: string): Violation => ({
    path: `/body/repositories/${index}`,
    rule: 'pattern',
    message,
  });
  if (repositories.every((each) => each.startsWith('!')))
    return repositories
      .slice(0, 1)
      .map(() => violation(0, 'must not have ! before it: every entry leaves something out'));
  return repositories.flatMap((each, index) =>
    /^!(\s|$)|^!.*\s/.test(each) ? [violation(index, 'must be a pattern without spaces after !')] : [],
  );
}

/** Demo data are made once, so that nothing new can be read. */
export const demoHasNoSchedule: Violation = {
  path: '/body/schedule',
  rule: 'const',
  message: 'must be null: demo data are not read again by themselves',
};

/** Demo data are removed by repository name, so the names cannot change. */
export const demoRepositoriesFixed: Violation = {
  path: '/body/repositories',
  rule: 'const',
  message: 'cannot be changed: these are the repositories of the demo data',
};
