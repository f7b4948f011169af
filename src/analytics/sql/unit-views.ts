/** The views of work units. */
import { ADDED_DIMENSIONS } from '../store/rows.js';
import { PHASES } from '../vocabulary.js';
import {
  MILLISECONDS_OF_AN_HOUR,
  count,
  date,
  dimensions,
  hours,
  moment,
  momentOf,
  number,
  text,
  truth,
  type View,
} from './view-columns.js';

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

export const UNIT_VIEWS: readonly View[] = [
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
];
