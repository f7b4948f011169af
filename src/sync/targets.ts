/** What can be synced from which provider. */
import type { TableName } from './records.js';

export const TARGETS = ['git', 'prs', 'blame', 'cicd', 'deployments', 'incidents'] as const;
export type Target = (typeof TARGETS)[number];

export const PROVIDERS = ['local', 'host_a', 'host_b', 'synthetic'] as const;
/** The `source` that is stamped on each record. */
export type ProviderName = (typeof PROVIDERS)[number];

/** Other names under which the two code hosts are accepted. */
export const PROVIDER_ALIASES: Readonly<Record<string, ProviderName>> = { github: 'host_a', gitlab: 'host_b' };

/** The tables that a target fills beside `repos`. */
export const TABLES_OF: Readonly<Record<Target, readonly TableName[]>> = {
  git: ['git_commits', 'git_commit_stats'],
  prs: ['git_pull_requests', 'git_pull_request_reviews'],
  blame: ['git_blame'],
  cicd: ['ci_pipeline_runs'],
  deployments: ['deployments'],
  incidents: ['incidents'],
};

const LOCAL_TARGETS: readonly Target[] = ['git', 'prs', 'blame'];

/** The targets that a provider has: a clone knows its history, not what ran on a host. */
export function targetsOf(provider: ProviderName): readonly Target[] {
  return provider === 'local' ? LOCAL_TARGETS : TARGETS;
}
