import type { Schemas } from '../../../generated/platform/operations.js';
import type { Violation } from '../../contract/violations.js';

type SyncProvider = Schemas['SyncProvider'];

/** A clone knows its history, but not what ran on a host. Every other provider has all targets. */
const localTargets: readonly Schemas['SyncTarget'][] = ['git', 'prs', 'blame'];

/** The targets that the provider does not have. */
export function violationsOfTargets(provider: SyncProvider, targets: readonly Schemas['SyncTarget'][]): Violation[] {
  if (provider !== 'local') return [];
  const message = `must be one of ${localTargets.join(', ')}: ${provider} has nothing else`;
  return targets.flatMap((target, index) =>
    localTargets.includes(target) ? [] : [{ path: `/body/targets/${index}`, rule: 'enum', message }],
  );
}

/** Code hosts are read through an integration, and nothing else is. */
export function violationsOfIntegration(provider: SyncProvider, integrationId: string | null): Violation[] {
  const isCodeHost = provider === 'host_a' || provider === 'host_b';
  const path = '/body/integration_id';
  if (isCodeHost && integrationId === null) return [{ path, rule: 'required', message: `is required for ${provider}` }];
  if (isCodeHost || integrationId === null) return [];
  return [{ path, rule: 'type', message: `must be left out: ${provider} is read without an integration` }];
}

/** An integration that the organization does not have, or has for another provider. */
export function unknownIntegration(provider: SyncProvider): Violation {
  const message = `must be an integration of this organization for ${provider}`;
  return { path: '/body/integration_id', rule: 'exists', message };
}

/** Two configurations of one name could not be told apart. */
export const nameTaken: Violation = {
  path: '/body/name',
  rule: 'unique',
  message: 'is the name of another sync configuration',
};

/** What the demo has read is removed by the names of its repositories. */
export const demoRepositoriesFixed: Violation = {
  path: '/body/repositories',
  rule: 'const',
  message: 'cannot be changed: these are the repositories of the demo data',
};
