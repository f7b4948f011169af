/** The kinds of records that a sync reads. */
import type { TableName } from './records.js';

export const TARGETS = ['git', 'prs', 'blame', 'cicd', 'deployments', 'incidents', 'issues'] as const;
export type Target = (typeof TARGETS)[number];

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
