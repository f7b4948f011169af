/** The targets that each provider supports. */
import type { TableName } from './records.js';

export const TARGETS = ['git', 'prs', 'blame', 'cicd', 'deployments', 'incidents', 'issues'] as const;
export type Target = (typeof TARGETS)[number];

export const PROVIDERS = ['local', 'host_a', 'host_b', 'synthetic'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** The `source` of a record: the provider that read it, or `push` if a program has pushed it. */
export type SourceName = ProviderName | 'push';

/** Aliases of the two code hosts. */
export const PROVIDER_ALIASES: Readonly<Record<string, ProviderName>> = { github: 'host_a', gitlab: 'host_b' };

/** The tables that a target fills in addition to `repos`. */
export const TABLES_OF: Readonly<Record<Target, readonly TableName[]>> = {
  git: ['git_commits', 'git_commit_stats'],
  prs: ['git_pull_requests', 'git_pull_request_reviews'],
  blame: ['git_blame'],
  cicd: ['ci_pipeline_runs'],
  deployments: ['deployments'],
  incidents: ['incidents'],
  issues: ['issues', 'issue_state_changes'],
};

const LOCAL_TARGETS: readonly Target[] = ['git', 'prs', 'blame'];

/** The targets of a provider. A clone has its history, but no pipelines, deployments, incidents or issues. */
export function targetsOf(provider: ProviderName): readonly Target[] {
  return provider === 'local' ? LOCAL_TARGETS : TARGETS;
}
