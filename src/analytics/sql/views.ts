/**
 * The views over records and work units that readers with SQL see. Names, types and meanings are a contract: SQL.md
 * documents them, and a test compares it with this list. A release adds columns and views; it renames none.
 *
 * Persons are the authors of work units, as the Analytics API shows them, and never the names and addresses of commits.
 */
import { ADDED_DIMENSIONS } from '../store/rows.js';
import { PHASES } from '../vocabulary.js';

/** The type of a column, by its name in PostgreSQL. */
export type SqlType =
  'text' | 'bigint' | 'double precision' | 'boolean' | 'date' | 'timestamp with time zone' | 'jsonb';

export interface ViewColumn {
  readonly name: string;
  readonly type: SqlType;
  /** What it means, with its unit, and what null means where it can be null. */
  readonly about: string;
  readonly postgres: string;
  /** Default: the expression of PostgreSQL. Null: a reader would have to see more than the column shows. */
  readonly clickhouse?: string | null;
}

/** A view: expressions over the tables that `from` names. */
export interface View {
  readonly name: string;
  readonly about: string;
  readonly columns: readonly ViewColumn[];
  /** In ClickHouse null, if a reader would have to see more than the view shows. */
  readonly from: { readonly postgres: string; readonly clickhouse: string | null };
  /** The column of the organization, by which a row belongs to a reader. */
  readonly organization: string;
}

type Text = readonly [name: string, about: string, postgres: string, clickhouse?: string | null];

const typed =
  (type: SqlType) =>
  (...[name, about, postgres, clickhouse]: Text): ViewColumn => ({
    ...{ name, type, about, postgres },
    ...(clickhouse === undefined ? {} : { clickhouse }),
  });
const text = typed('text');
const count = typed('bigint');
const number = typed('double precision');
const truth = typed('boolean');
const date = typed('date');
const moment = typed('timestamp with time zone');
const json = typed('jsonb');

const MILLISECONDS_OF_AN_HOUR = 3_600_000;

/** @param column a number of milliseconds, null if unknown */
function hours(name: string, about: string, column: string): ViewColumn {
  return number(
    name,
    about,
    `${column} / ${MILLISECONDS_OF_AN_HOUR}.0::float8`,
    `${column} / ${MILLISECONDS_OF_AN_HOUR}`,
  );
}

/** @param column epoch milliseconds, null if unknown */
function momentOf(name: string, about: string, column: string): ViewColumn {
  return moment(name, about, `to_timestamp(${column} / 1000.0)`, `fromUnixTimestamp64Milli(${column}, 'UTC')`);
}

/** The dimensions of a unit, of a table with this alias. */
function dimensions(alias: string): readonly ViewColumn[] {
  return [
    text(
      'work_type',
      '`pull_request`, `commit`, `deployment`, `incident` or `issue`',
      `${alias}.work_type`,
      `toString(${alias}.work_type)`,
    ),
    text('repo', 'the repository, such as `acme/shop`', `${alias}.repo`, `toString(${alias}.repo)`),
    text('team', "the team's id, or `unassigned`", `${alias}.team`, `toString(${alias}.team)`),
    text(
      'author',
      'as the Analytics API names the person; bots end with `[bot]`; null: unknown',
      `nullif(${alias}.author, '')`,
      `nullIf(toString(${alias}.author), '')`,
    ),
  ];
}

const CLASSES = [
  text('theme', 'the theme with the largest share', 'u.theme', 'toString(u.theme)'),
  text('subcategory', 'the subcategory with the largest share', 'u.subcategory', 'toString(u.subcategory)'),
];

const PHASE_MEANINGS: Readonly<Record<(typeof PHASES)[number], string>> = {
  coding: 'hours from the first commit of a merged request to its opening; null: unknown',
  pickup: 'hours from the opening to the first review of another person; null: unknown',
  review: 'hours from the first review to the last approval or, without approval, review; null: unknown',
  merge: 'hours from the end of the review to the merge; null: unknown',
  deploy: 'hours from the merge to the end of the first deployment to production; null: unknown',
  lead: 'hours from the first commit to the end of that deployment; null: unknown',
};

const ADDED_MEANINGS: Readonly<Record<(typeof ADDED_DIMENSIONS)[number], string>> = {
  assistant: 'the AI assistant that most of its commits name, or `unassisted`; null: unknown',
  epic: 'the epic that it belongs to, or `unplanned`; null: unknown',
  initiative: 'the initiative above the epic, or `unplanned`; null: unknown, or the epic has none',
};

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

export const VIEWS: readonly View[] = [
  {
    name: 'units',
    about: 'the work units, of which all figures are made: a row per unit',
    organization: 'u.org_id',
    columns: [
      text('id', 'stays the same when the unit is derived again', 'u.id'),
      ...dimensions('u'),
      ...CLASSES,
      moment('started_at', 'when work on it began', 'u.started_at'),
      moment('completed_at', 'when it was completed; null: it is not complete', 'u.completed_at'),
      date('day', "the day on which it counts, in the organization's time zone", 'u.day'),
      count('churn_loc', 'lines added and deleted; null: unknown', 'u.churn'),
      hours(
        'cycle_time_hours',
        'hours from start to completion; null: not complete, or unknown',
        'nullif(u.cycle_ms, 0)',
      ),
      ...PHASES.map((phase) =>
        hours(`${phase === 'lead' ? 'lead_time' : phase}_hours`, PHASE_MEANINGS[phase], `u.${phase}_ms`),
      ),
      truth(
        'change_failed',
        'whether an incident counts against a deployment to production; null: it is not one',
        'u.change_failed = 1',
      ),
      momentOf('opened_at', 'when a request was opened; null: unknown, or not a request', 'u.opened_ms'),
      momentOf(
        'closed_at',
        'when a request was merged or closed; null: open, unknown, or not a request',
        'u.closed_ms',
      ),
      ...ADDED_DIMENSIONS.map((dimension) =>
        text(
          dimension,
          ADDED_MEANINGS[dimension],
          `nullif(u.${dimension}, '')`,
          `nullIf(toString(u.${dimension}), '')`,
        ),
      ),
    ],
    from: { postgres: 'work_units u', clickhouse: 'work_units as u final' },
  },
  {
    name: 'unit_shares',
    about: 'the investment: a row per unit and subcategory; the shares of a unit add up to 1',
    organization: 's.org_id',
    columns: [
      text('unit_id', 'the unit, as `units.id`', 's.id'),
      ...dimensions('s'),
      text('theme', 'the theme of the share', 's.theme', 'toString(s_theme)'),
      text('subcategory', 'the subcategory of the share', 's.subcategory', 'toString(s_subcategory)'),
      date('day', 'the day of the unit', 's.day'),
      number('share', 'more than 0, at most 1', 's.weight / 1000000.0::float8', 's_weight / 1000000'),
      number(
        'churn_loc',
        "the share of the unit's lines; null: unknown",
        's.churn / 1000000.0::float8',
        's.churn * s_weight / 1000000',
      ),
      {
        ...hours('cycle_time_hours', "the share of the unit's hours; null: unknown", 'nullif(s.cycle_ms, 0)'),
        clickhouse: `nullIf(s.cycle_ms, 0) * s_weight / 1000000 / ${MILLISECONDS_OF_AN_HOUR}`,
      },
    ],
    from: {
      postgres: 'work_unit_shares s',
      clickhouse:
        'work_units as s final array join s.share_theme as s_theme, s.share_subcategory as s_subcategory, ' +
        's.share_weight as s_weight',
    },
  },
  {
    name: 'unit_reviews',
    about: 'which teams reviewed a request whose reviews are known: a row per unit and team of reviewers',
    organization: 'u.org_id',
    columns: [
      text('unit_id', 'the unit, as `units.id`', 'u.id'),
      text('repo', 'the repository', 'u.repo', 'toString(u.repo)'),
      text('author_team', 'the team of the unit', 'u.team', 'toString(u.team)'),
      date('day', 'the day of the unit', 'u.day'),
      text('reviewer_team', 'the team of the reviewers, or `unassigned`', 't.team'),
      count('reviewers', 'how many persons of it reviewed the request', 't.reviewers'),
      count('reviews', 'their submitted reviews', 't.reviews'),
    ],
    from: {
      postgres:
        'work_units u cross join lateral (select e ->> 1 as team, count(*) as reviewers, ' +
        'sum((e ->> 2)::bigint)::bigint as reviews from jsonb_array_elements(u.reviewers::jsonb) e group by 1) t',
      clickhouse: null,
    },
  },
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

/** The schema, or database, of the views. */
export const SQL_SCHEMA = 'plumbline_sql';
