/** The words of the analytics: what can be asked for. graphql/schema.graphql documents each. */

export const DIMENSIONS = [
  ...(['TEAM', 'REPO', 'AUTHOR', 'WORK_TYPE', 'THEME', 'SUBCATEGORY', 'ASSISTANT'] as const),
  ...(['EPIC', 'INITIATIVE', 'PLAN'] as const),
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const MEASURES = ['COUNT', 'CHURN_LOC', 'CYCLE_TIME_HOURS', 'THROUGHPUT'] as const;
export type Measure = (typeof MEASURES)[number];

/** The phases of a merged request, one after the other; and its lead time, from the first commit to the deployment. */
export const PHASES = ['coding', 'pickup', 'review', 'merge', 'deploy', 'lead'] as const;
export type Phase = (typeof PHASES)[number];

/** The measures of phases. */
export const PHASE_MEASURES = [
  ...(['CODING_HOURS', 'PICKUP_HOURS', 'REVIEW_HOURS', 'MERGE_HOURS', 'DEPLOY_HOURS'] as const),
  'LEAD_TIME_HOURS',
] as const;

/** The measures of single units, which have percentiles. */
export const DISTRIBUTION_MEASURES = ['CYCLE_TIME_HOURS', 'CHURN_LOC', ...PHASE_MEASURES] as const;
export type DistributionMeasure = (typeof DISTRIBUTION_MEASURES)[number];

/** What figures are compared with. */
export const BASELINES = ['PREVIOUS_PERIOD', 'ORGANIZATION'] as const;
export type Baseline = (typeof BASELINES)[number];

/** What is done with the units of bots, whose names end with `[bot]`. */
export const BOT_FILTERS = ['INCLUDE', 'EXCLUDE', 'ONLY'] as const;
export type BotFilter = (typeof BOT_FILTERS)[number];

/** What is done with the units that an AI assistant has a part in. */
export const ASSISTANT_FILTERS = ['INCLUDE', 'EXCLUDE', 'ONLY'] as const;
export type AssistantFilter = (typeof ASSISTANT_FILTERS)[number];

export const INTERVALS = ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'] as const;
export type Interval = (typeof INTERVALS)[number];

/** The days on which weeks can begin. */
export const WEEK_STARTS = ['MONDAY', 'SUNDAY', 'SATURDAY'] as const;
export type WeekStart = (typeof WEEK_STARTS)[number];

export const SCOPE_LEVELS = ['ORG', 'TEAM', 'REPO', 'AUTHOR'] as const;
export type ScopeLevel = (typeof SCOPE_LEVELS)[number];

export const WORK_TYPES = ['pull_request', 'commit', 'deployment', 'incident', 'issue'] as const;
export type WorkType = (typeof WORK_TYPES)[number];

/** The theme of work that no rule matches, and its only subcategory; it counts against theme coverage. */
export const UNCLASSIFIED = 'unclassified';

/** The investment taxonomy: each theme with its subcategories. */
export const TAXONOMY = {
  feature_delivery: ['customer', 'roadmap', 'enablement'],
  operational: ['incident_response', 'on_call', 'support'],
  maintenance: ['refactor', 'upgrade', 'debt'],
  quality: ['testing', 'bugfix', 'reliability'],
  risk: ['security', 'compliance', 'vulnerability'],
  [UNCLASSIFIED]: [UNCLASSIFIED],
} as const;
export type Theme = keyof typeof TAXONOMY;

/** The stored and displayed form of a subcategory: `theme.subcategory`. */
export type Subcategory = { [T in Theme]: `${T}.${(typeof TAXONOMY)[T][number]}` }[Theme];

/** The team of a unit without a team; it counts against team coverage. */
export const UNASSIGNED = 'unassigned';

/** The assistant of a unit whose commits name none. A unit of which nobody can say so has no assistant at all. */
export const UNASSISTED = 'unassisted';

/** The epic and the initiative of a unit that belongs to no epic. A unit of which nobody can say so has neither. */
export const UNPLANNED = 'unplanned';

/** The value of the dimension PLAN for a unit that belongs to an epic; for others, it is that of EPIC. */
export const PLANNED = 'planned';
