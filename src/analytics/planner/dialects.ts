/**
 * The SQL primitives of each engine. All differences between engines are here. Text of a request cannot get into a
 * statement, because these functions accept only words of the vocabulary and placeholders.
 */
import { PLANNED, UNPLANNED, type Dimension, type Interval, type Measure } from '../vocabulary.js';

/** `units`: one row per work unit. `shares`: one row per work unit and subcategory, weighted in millionths. */
export type Source = 'units' | 'shares';

/** The type of a parameter. Ids and dates are sent as text. */
export type ParameterType = 'text' | 'texts' | 'date' | 'dates' | 'integer' | 'bigint';

/** The integers that a measure sums up. A measure with a divisor is the mean, one without is the sum. */
export interface Aggregate {
  readonly sum: string;
  readonly divisor?: string;
}

export interface Dialect {
  readonly name: 'postgres' | 'sqlite' | 'clickhouse';
  /** @param position from 1 */
  placeholder(position: number, type: ParameterType): string;
  /**
   * The number of a day's bucket, from 0. `parameter` is `Buckets.origin`, but PostgreSQL takes the starts of months and
   * of longer buckets.
   */
  readonly bucket: Readonly<Record<Interval, { readonly takes: 'integer' | 'dates'; of(parameter: string): string }>>;
  /** Whether a column equals one of the texts. */
  oneOf(column: string, texts: string): string;
  /** Whether a column, with its letters A to Z in lower case, contains a text. */
  contains(column: string, text: string): string;
  /** Whether the author of a row is a bot. */
  readonly isBot: string;
  /** Whether one of the texts is a co-author of a row. */
  coAuthored(texts: string): string;
  /** Converts an integer to the nearest double, so that quotients are equal on all engines. */
  double(expression: string): string;
  /** The text after `from`; the arguments name the required columns of the shares. */
  from(source: Source, dimensions: readonly Dimension[], measures: readonly Measure[]): string;
  column(source: Source, dimension: Dimension): string;
  readonly measures: Readonly<Record<Source, Readonly<Record<Measure, Aggregate>>>>;
  /** A timestamp as epoch milliseconds, or as RFC 3339 text. */
  milliseconds(column: string): string;
  /** The day as YYYY-MM-DD. */
  readonly dayText: string;
  /** Whole days of an integer of milliseconds that is not negative. */
  days(milliseconds: string): string;
  /** Units with a row per reviewer: the text after `from`, and the columns of a row. */
  readonly reviews: {
    readonly from: string;
    readonly reviewer: string;
    readonly team: string;
    readonly reviews: string;
    readonly first: string;
  };
  /**
   * A condition on the day that the first rows in the order of days meet; null: the engine has the days in order.
   * `rows` is the text from `from` to the end of the conditions, `limit` the placeholder of the number of rows, and
   * `otherwise` that of a day that no row is beyond, for the case that there are no such rows.
   */
  readonly nearestDays: ((rows: string, descending: boolean, limit: string, otherwise: string) => string) | null;
  /** Whether the unit of a row has a share with one of the texts. @param owner the placeholder of the organization */
  hasShare(dimension: Dimension, texts: string, owner: string): string;
  /** The weight of one row. */
  readonly weight: Readonly<Record<Source, string>>;
  /**
   * The statement of a distribution without its ranking: the keys, then `measured`, `total`, `p50`, `p75` and `p90`, and
   * `about`, the number of rows with and without a value.
   */
  percentiles(of: PercentileParts): string;
}

/** Percentiles are nearest ranks, which whole numbers find: the value whose rank is `ceil(percent * count / 100)`. */
export interface PercentileParts {
  /** An integer column; null in rows without a value. */
  readonly column: string;
  /** The select list of the group keys, with their names. */
  readonly keys: string;
  readonly names: string;
  /** From `from` to the end of the conditions. */
  readonly rows: string;
}

const PERCENTS = [50, 75, 90] as const;

const COLUMNS: Readonly<Record<Dimension, string>> = {
  TEAM: 'team',
  REPO: 'repo',
  AUTHOR: 'author',
  WORK_TYPE: 'work_type',
  THEME: 'theme',
  SUBCATEGORY: 'subcategory',
  ASSISTANT: 'assistant',
  EPIC: 'epic',
  INITIATIVE: 'initiative',
  PLAN: `(case when epic in ('', '${UNPLANNED}') then epic else '${PLANNED}' end)`,
};

const TABLES: Readonly<Record<Source, string>> = { units: 'work_units', shares: 'work_unit_shares' };

const OF_UNITS: Dialect['measures']['units'] = {
  COUNT: { sum: 'count(*)' },
  // Unknown churn is excluded. An empty sum is 0, which sorts last.
  CHURN_LOC: { sum: 'coalesce(sum(churn), 0)' },
  // Work takes time: 0 says that its beginning is unknown, as that of a squashed commit, which has a single time.
  CYCLE_TIME_HOURS: { sum: 'sum(cycle_ms)', divisor: 'count(nullif(cycle_ms, 0))' },
  THROUGHPUT: { sum: 'count(cycle_ms)' },
};

const COMPLETED_WEIGHT = 'sum(case when cycle_ms is not null then weight else 0 end)';
const MEASURED_WEIGHT = 'sum(case when cycle_ms > 0 then weight else 0 end)';

const relational: Pick<Dialect, 'from' | 'column' | 'measures' | 'weight' | 'nearestDays'> = {
  nearestDays: null,
  from: (source) => TABLES[source],
  column: (_source, dimension) => COLUMNS[dimension],
  measures: {
    units: OF_UNITS,
    shares: {
      COUNT: { sum: 'sum(weight)' },
      CHURN_LOC: { sum: 'coalesce(sum(churn), 0)' },
      CYCLE_TIME_HOURS: { sum: 'sum(cycle_ms)', divisor: MEASURED_WEIGHT },
      THROUGHPUT: { sum: COMPLETED_WEIGHT },
    },
  },
  weight: { units: '1', shares: 'weight' },
};

/** The smallest value up to which there are enough rows. */
function countedPercentiles({ column, keys, names, rows }: PercentileParts): string {
  const ranks = PERCENTS.map(
    (percent) => `min(case when upto >= (known * ${percent} + 99) / 100 then value1 end) as p${percent}`,
  );
  return (
    `select ${names}, sum(times) as measured, sum(value1 * times) as total, ${ranks.join(', ')}, sum(about) as about ` +
    `from (select counted.*, sum(times) over (partition by ${names} order by value1) as upto, ` +
    `sum(times) over (partition by ${names}) as known from (` +
    `select ${keys}, ${column} as value1, count(${column}) as times, count(*) as about ${rows} ` +
    `group by ${names}, value1) counted` +
    `) ranked group by ${names}`
  );
}

/** `ceil(0.9 * count)` is exact in doubles for any count below 2^50; 0.5 and 0.75 are exact themselves. */
function sortedPercentiles({ column, keys, names, rows }: PercentileParts): string {
  const ranks = PERCENTS.map(
    (percent, index) =>
      `(percentile_disc(array[0.5, 0.75, 0.9]) within group (order by ${column}))[${index + 1}] as p${percent}`,
  );
  return (
    `select ${keys}, count(${column}) as measured, sum(${column}) as total, ${ranks.join(', ')}, count(*) as about ` +
    `${rows} group by ${names}`
  );
}

/**
 * `quantilesExact` takes the value at index `floor(level * count)` of the sorted ones. Levels that are a little smaller
 * make that the nearest rank, `ceil(percent * count / 100) - 1`, for all counts up to 10^9: products that are whole get
 * below the next whole number, and others have a fraction of at least 0.1. A list need not be sorted for that.
 */
function selectedPercentiles({ column, keys, names, rows }: PercentileParts): string {
  const levels = PERCENTS.map((percent) => (percent / 100 - 1e-11).toFixed(11));
  const ranks = PERCENTS.map((percent, index) => `quantiles[${index + 1}] as p${percent}`);
  return (
    `select ${names}, measured, total, ${ranks.join(', ')}, about from (` +
    `select ${keys}, count(${column}) as measured, sum(${column}) as total, count(*) as about, ` +
    `quantilesExact(${levels.join(', ')})(${column}) as quantiles ${rows} group by ${names}) selected`
  );
}

/** The day is part of the key of the shares. */
function relationalShare(condition: string, owner: string): string {
  return (
    `exists (select 1 from work_unit_shares share where share.org_id = ${owner} and share.day = work_units.day ` +
    `and share.id = work_units.id and share.${condition})`
  );
}

/** Parameters have the type of the compared column: a cast would be repeated for each row. */
const POSTGRES_TYPES: Readonly<Record<ParameterType, string>> = {
  text: 'text',
  texts: 'text[]',
  date: 'date',
  dates: 'date[]',
  integer: 'integer',
  bigint: 'bigint',
};

const POSTGRES_STARTS: Dialect['bucket']['MONTH'] = {
  takes: 'dates',
  of: (starts) => `(width_bucket(day, ${starts}) - 1)`,
};

export const postgresDialect: Dialect = {
  ...relational,
  name: 'postgres',
  placeholder: (position, type) => `$${position}::${POSTGRES_TYPES[type]}`,
  bucket: {
    DAY: { takes: 'integer', of: (origin) => `(day - date '1970-01-01' - ${origin})` },
    // Measured: arithmetic takes half the time of date_trunc, and so does width_bucket for months.
    WEEK: { takes: 'integer', of: (origin) => `((day - date '1970-01-01' - ${origin}) / 7)` },
    MONTH: POSTGRES_STARTS,
    QUARTER: POSTGRES_STARTS,
    YEAR: POSTGRES_STARTS,
  },
  milliseconds: (column) => `(extract(epoch from ${column}) * 1000)::bigint`,
  dayText: 'day::text',
  days: (milliseconds) => `(${milliseconds}) / 86400000`,
  reviews: {
    from: 'work_units cross join lateral json_array_elements(reviewers::json) as review (item)',
    reviewer: `(item->>0) collate "C"`,
    team: `(item->>1) collate "C"`,
    reviews: '(item->>2)::bigint',
    first: '(item->>3)::bigint',
  },
  hasShare: (dimension, texts, owner) => relationalShare(`${COLUMNS[dimension]} = any(${texts})`, owner),
  oneOf: (column, texts) => `${column} = any(${texts})`,
  contains: (column, text) => `position(${text} in lower(${column} collate "C")) > 0`,
  isBot: "right(author, 5) = '[bot]'",
  coAuthored: (texts) => `(co_authors is not null and co_authors::jsonb ?| ${texts})`,
  double: (expression) => `(${expression})::float8`,
  percentiles: sortedPercentiles,
};

function sqliteMonths(origin: string): string {
  return `(cast(substr(day, 1, 4) as integer) * 12 + cast(substr(day, 6, 2) as integer) - ${origin})`;
}

export const sqliteDialect: Dialect = {
  ...relational,
  name: 'sqlite',
  // The driver binds all numbers as doubles, whose quotients are not integers.
  placeholder: (position, type) =>
    type === 'integer' || type === 'bigint' ? `cast(?${position} as integer)` : `?${position}`,
  bucket: {
    DAY: { takes: 'integer', of: (origin) => `(unixepoch(day) / 86400 - ${origin})` },
    WEEK: { takes: 'integer', of: (origin) => `((unixepoch(day) / 86400 - ${origin}) / 7)` },
    MONTH: { takes: 'integer', of: sqliteMonths },
    QUARTER: { takes: 'integer', of: (origin) => `(${sqliteMonths(origin)} / 3)` },
    YEAR: { takes: 'integer', of: (origin) => `(${sqliteMonths(origin)} / 12)` },
  },
  milliseconds: (column) => column,
  dayText: 'day',
  days: (milliseconds) => `(${milliseconds}) / 86400000`,
  reviews: {
    from: 'work_units cross join json_each(reviewers) as review',
    reviewer: 'review.value->>0',
    team: 'review.value->>1',
    reviews: 'review.value->>2',
    first: 'review.value->>3',
  },
  hasShare: (dimension, texts, owner) =>
    relationalShare(`${COLUMNS[dimension]} in (select value from json_each(${texts}))`, owner),
  oneOf: (column, texts) => `${column} in (select value from json_each(${texts}))`,
  contains: (column, text) => `instr(lower(${column}), ${text}) > 0`,
  // LIKE ignores the case here.
  isBot: "substr(author, -5) = '[bot]'",
  // A list of no people is null, of which there are no rows.
  coAuthored: (texts) =>
    `exists (select 1 from json_each(co_authors) where value in (select value from json_each(${texts})))`,
  double: (expression) => `cast(${expression} as real)`,
  percentiles: countedPercentiles,
};

const CLICKHOUSE_TYPES: Readonly<Record<ParameterType, string>> = {
  text: 'String',
  texts: 'Array(String)',
  date: 'Date32',
  dates: 'Array(Date32)',
  integer: 'Int32',
  bigint: 'Int64',
};

/** The shares of a unit are arrays in its row: a query reads only the arrays that it needs. */
const SHARE_LISTS: readonly { readonly list: string; needed(of: readonly (Dimension | Measure)[]): boolean }[] = [
  { list: 'share_weight', needed: () => true },
  { list: 'share_theme', needed: (of) => of.includes('THEME') },
  { list: 'share_subcategory', needed: (of) => of.includes('SUBCATEGORY') },
  { list: 'share_cycle_ms', needed: (of) => of.includes('CYCLE_TIME_HOURS') },
];

export const clickHouseDialect: Dialect = {
  name: 'clickhouse',
  placeholder: (position, type) => `{p${position}:${CLICKHOUSE_TYPES[type]}}`,
  bucket: {
    DAY: { takes: 'integer', of: (origin) => `(toInt32(day) - ${origin})` },
    // No day is before the first bucket. Unsigned division takes a tenth less time.
    WEEK: { takes: 'integer', of: (origin) => `intDiv(toUInt32(toInt32(day) - ${origin}), 7)` },
    MONTH: { takes: 'integer', of: (origin) => `(toRelativeMonthNum(day) - ${origin})` },
    QUARTER: { takes: 'integer', of: (origin) => `intDiv(toUInt32(toRelativeMonthNum(day) - ${origin}), 3)` },
    YEAR: { takes: 'integer', of: (origin) => `intDiv(toUInt32(toRelativeMonthNum(day) - ${origin}), 12)` },
  },
  milliseconds: (column) => `toUnixTimestamp64Milli(${column})`,
  dayText: 'toString(day)',
  days: (milliseconds) => `intDiv(${milliseconds}, 86400000)`,
  reviews: {
    from: "work_units final array join JSONExtract(assumeNotNull(reviewers), 'Array(Tuple(String, String, Int64, Int64))') as review",
    reviewer: 'review.1',
    team: 'review.2',
    reviews: 'review.3',
    first: 'review.4',
  },
  // Reading ids is what takes long: counting units by day first leaves those of a few days to sort.
  nearestDays(rows, descending, limit, otherwise) {
    const [farthest, comparison, direction] = descending ? ['minOrNull', '>=', ' desc'] : ['maxOrNull', '<=', ''];
    return (
      `day ${comparison} coalesce((select ${farthest}(day) from (select day, ` +
      `sum(count(*)) over (order by day${direction}) - count(*) as nearer ${rows} group by day) counted ` +
      `where nearer < ${limit}), ${otherwise})`
    );
  },
  hasShare: (dimension, texts) => `hasAny(share_${COLUMNS[dimension]}, ${texts})`,
  oneOf: (column, texts) => `${column} in ${texts}`,
  contains: (column, text) => `position(lower(${column}), ${text}) > 0`,
  isBot: "endsWith(author, '[bot]')",
  coAuthored: (texts) => `hasAny(JSONExtract(ifNull(co_authors, '[]'), 'Array(String)'), ${texts})`,
  double: (expression) => `toFloat64(${expression})`,
  percentiles: selectedPercentiles,
  from(source, dimensions, measures) {
    if (source === 'units') return 'work_units final';
    const lists = SHARE_LISTS.filter(({ needed }) => needed([...dimensions, ...measures]));
    return `work_units final array join ${lists.map(({ list }) => `${list} as one_${list}`).join(', ')}`;
  },
  column: (source, dimension) =>
    source === 'shares' && (dimension === 'THEME' || dimension === 'SUBCATEGORY')
      ? `one_share_${COLUMNS[dimension]}`
      : COLUMNS[dimension],
  measures: {
    units: OF_UNITS,
    shares: {
      COUNT: { sum: 'sum(one_share_weight)' },
      CHURN_LOC: { sum: 'coalesce(sum(churn * one_share_weight), 0)' },
      CYCLE_TIME_HOURS: {
        sum: 'sumIf(one_share_cycle_ms, cycle_ms is not null)',
        divisor: 'sumIf(one_share_weight, one_share_cycle_ms > 0)',
      },
      THROUGHPUT: { sum: 'sumIf(one_share_weight, cycle_ms is not null)' },
    },
  },
  weight: { units: '1', shares: 'one_share_weight' },
};
