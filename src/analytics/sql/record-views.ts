/** The views of records, each with the unit that it is, and of what an organization has set. */
import { count, json, moment, text, truth, type View, type ViewColumn } from './view-columns.js';

/** The columns of the unit of a record; null where the record is not a unit. */
const UNIT_OF_RECORD = [
  text('unit_id', 'the unit of the record, as `units.id`; null: none', 'u.id'),
  text('team', 'the team of the unit; null: the record is not a unit', 'u.team', 'toNullable(toString(u.team))'),
  text(
    'author',
    'the author of the unit; null: unknown, or the record is not a unit',
    `nullif(u.author, '')`,
    `nullIf(toString(u.author), '')`,
  ),
];

const REPO = text('repo', 'the repository, such as `acme/shop`', 'p.repo');

/** The tables of a record `r`, its repository `p`, and its unit `u`. @param name the end of the unit's id */
function recordWithUnit(table: string, name: { readonly postgres: string; readonly clickhouse: string }): View['from'] {
  return {
    postgres:
      `${table} r join repos p on p.id = r.repo_id and p.org_id = r.org_id ` +
      `left join work_units u on u.org_id = r.org_id and u.id = r.repo_id::text || ${name.postgres}`,
    // Few columns of the units are joined, and the condition on the organization is that of the row policies.
    clickhouse:
      `${table} as r final inner join (select id, repo from repos final) as p on p.id = r.repo_id ` +
      `left join (select id, team, author, change_failed from work_units final) as u ` +
      `on u.id = concat(toString(r.repo_id), ${name.clickhouse})`,
  };
}

function recordUnit(table: string, workType: string, key: string): View['from'] {
  return recordWithUnit(table, {
    postgres: `':${workType}:' || r.${key}`,
    clickhouse: `':${workType}:', toString(r.${key})`,
  });
}

/** The sum of a column of the changed files of a commit. */
function changes(name: string, about: string, sum: string): ViewColumn {
  return count(
    name,
    about,
    `(select ${sum} from git_commit_stats s where s.repo_id = r.repo_id and s.commit_hash = r.hash)`,
    `c.${name}`,
  );
}

export const RECORD_VIEWS: readonly View[] = [
  {
    name: 'requests',
    about: 'pull and merge requests',
    organization: 'r.org_id',
    columns: [
      REPO,
      count('number', 'its number at the code host', 'r.number'),
      ...UNIT_OF_RECORD,
      text('title', 'its title', 'r.title'),
      text('state', '`open`, `closed` or `merged`', 'r.state'),
      text('base_branch', 'the branch that it goes to; null: unknown', 'r.base_branch'),
      json('labels', 'a list of its labels', 'r.labels'),
      moment('created_at', 'when it was opened', 'r.created_at'),
      moment('updated_at', 'the last change; null: unknown', 'r.updated_at'),
      moment('merged_at', 'null: not merged', 'r.merged_at'),
      moment('closed_at', 'when it was merged or closed; null: open', 'r.closed_at'),
      moment('first_commit_at', 'null: unknown', 'r.first_commit_at'),
      moment('first_review_at', 'null: none, or unknown', 'r.first_review_at'),
      moment('first_comment_at', 'null: none, or unknown', 'r.first_comment_at'),
      count('additions', 'added lines; null: unknown', 'r.additions'),
      count('deletions', 'deleted lines; null: unknown', 'r.deletions'),
      count('changed_files', 'null: unknown', 'r.changed_files'),
      count('reviews', 'submitted reviews; 0 also where a clone does not know them', 'r.reviews_count'),
      count('changes_requested', 'reviews that request changes', 'r.changes_requested_count'),
      count('comments', 'comments', 'r.comments_count'),
    ],
    from: recordUnit('git_pull_requests', 'pull_request', 'number'),
  },
  {
    name: 'commits',
    about: 'commits; those of a request are part of its unit, and have none',
    organization: 'r.org_id',
    columns: [
      REPO,
      text('hash', 'the full hash', 'r.hash'),
      ...UNIT_OF_RECORD,
      text('title', 'the first line of the message', String.raw`split_part(r.message, E'\n', 1)`, null),
      moment('authored_at', 'the author date', 'r.author_when'),
      moment('committed_at', 'the commit date', 'r.committer_when'),
      count('parents', '0: a root commit; 2 and more: a merge', 'r.parents'),
      changes('additions', 'added lines; null: unknown', 'sum(s.additions)'),
      changes('deletions', 'deleted lines; null: unknown', 'sum(s.deletions)'),
    ],
    from: {
      postgres: recordUnit('git_commits', 'commit', 'hash').postgres,
      clickhouse:
        `${recordUnit('git_commits', 'commit', 'hash').clickhouse} left join (` +
        'select repo_id, commit_hash, sum(s.additions) as additions, sum(s.deletions) as deletions ' +
        'from git_commit_stats as s final group by repo_id, commit_hash' +
        ') as c on c.repo_id = r.repo_id and c.commit_hash = r.hash',
    },
  },
  {
    name: 'issues',
    about: 'issues',
    organization: 'r.org_id',
    columns: [
      REPO,
      count('number', 'its number in the tracker', 'r.number'),
      ...UNIT_OF_RECORD,
      text('title', 'its title', 'r.title'),
      text('kind', '`issue`, or another type as the host names it; `incident`: it is an incident, too', 'r.kind'),
      text('state', '`open` or `closed`', 'r.state'),
      text(
        'state_reason',
        '`completed`, `not_planned`, `duplicate` or `moved`; null: open, or unknown',
        'r.state_reason',
      ),
      text('severity', 'of an incident; null: unknown, or not an incident', 'r.severity'),
      json('labels', 'a list of its labels', 'r.labels'),
      moment('created_at', 'when it was opened', 'r.created_at'),
      moment('updated_at', 'the last change', 'r.updated_at'),
      moment('closed_at', 'when it was closed last; null: open', 'r.closed_at'),
    ],
    from: recordWithUnit('issues', {
      postgres: "case r.kind when 'incident' then ':incident:' else ':issue:' end || r.number",
      clickhouse: "if(r.kind = 'incident', ':incident:', ':issue:'), toString(r.number)",
    }),
  },
  {
    name: 'deployments',
    about: 'deployments to all environments',
    organization: 'r.org_id',
    columns: [
      REPO,
      text('id', 'its id at the code host, or that of a push after `push:`', 'r.deployment_id'),
      ...UNIT_OF_RECORD,
      text('environment', 'null: unknown', 'r.environment'),
      text('tier', 'the kind of environment, such as `production`; null: unknown', 'r.tier'),
      text('status', 'as the code host names it; null: unknown', 'r.status'),
      text('ref', 'the branch, tag or version; null: unknown', 'r.release_ref'),
      text('commit_hash', 'the deployed commit; null: unknown', 'r.commit_hash'),
      moment('committed_at', 'its commit date; null: unknown', 'r.committed_at'),
      moment('started_at', 'null: unknown', 'r.started_at'),
      moment('finished_at', 'null: not finished, or unknown', 'r.finished_at'),
      moment('deployed_at', 'when it was deployed; null: not yet, or unknown', 'r.deployed_at'),
      truth(
        'change_failed',
        'whether an incident counts against it; null: not a successful deployment to production',
        'u.change_failed = 1',
      ),
    ],
    from: recordUnit('deployments', 'deployment', 'deployment_id'),
  },
  {
    name: 'incidents',
    about: 'incidents',
    organization: 'r.org_id',
    columns: [
      REPO,
      text('id', 'its number or id, or that of a push after `push:`', 'r.incident_id'),
      ...UNIT_OF_RECORD,
      text('title', 'null: unknown', 'r.title'),
      text('status', 'as its source names it; null: unknown', 'r.status'),
      text('severity', 'null: unknown', 'r.severity'),
      json('labels', 'a list of its labels', 'r.labels'),
      moment('started_at', 'when it began', 'r.started_at'),
      moment('resolved_at', 'when the service was restored; null: not yet, or unknown', 'r.resolved_at'),
    ],
    from: recordUnit('incidents', 'incident', 'incident_id'),
  },
  {
    name: 'builds',
    about: 'runs of pipelines',
    organization: 'r.org_id',
    columns: [
      REPO,
      text('id', 'its id at the code host, or that of a push after `push:`', 'r.run_id'),
      text('status', 'the conclusion, else the state, as the host names it; null: unknown', 'r.status'),
      moment('queued_at', 'null: unknown', 'r.queued_at'),
      moment('started_at', 'when it began', 'r.started_at'),
      moment('finished_at', 'null: not finished, or unknown', 'r.finished_at'),
    ],
    from: {
      postgres: 'ci_pipeline_runs r join repos p on p.id = r.repo_id and p.org_id = r.org_id',
      clickhouse: 'ci_pipeline_runs as r final inner join (select id, repo from repos final) as p on p.id = r.repo_id',
    },
  },
  {
    name: 'repositories',
    about: 'the repositories',
    organization: 'r.org_id',
    columns: [
      text('repo', 'the name, such as `acme/shop`', 'r.repo'),
      text('id', 'with this and a colon, the ids of its units begin', 'r.id::text', 'toString(r.id)'),
      text('url', 'its page at the code host; null: unknown', 'r.url'),
      text('default_branch', 'null: unknown', 'r.default_branch'),
      moment('created_at', 'null: unknown', 'r.created_at'),
    ],
    from: { postgres: 'repos r', clickhouse: 'repos as r final' },
  },
  {
    name: 'teams',
    about: 'the teams that the organization has defined',
    organization: 't.org_id',
    columns: [
      text('team', "the team's id, as in `units.team`", "e ->> 'id'"),
      text('name', 'the name that people read', "e ->> 'name'"),
      count('members', 'how many members it has', "jsonb_array_length(e -> 'members')::bigint"),
      json('repositories', 'a list of patterns of repositories', "e -> 'repositories'"),
    ],
    from: {
      postgres: 'team_files t cross join lateral jsonb_array_elements(t.teams::jsonb) e',
      clickhouse: null,
    },
  },
];
