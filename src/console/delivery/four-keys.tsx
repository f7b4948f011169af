import {
  dora,
  type AnalyticsSchema,
  type DoraQueryVariables,
  type OrganizationVariables,
} from '@plumbline/sdk/analytics';
import type { ComponentChildren, JSX } from 'preact';
import { Link } from 'wouter-preact';
import {
  developmentOfLines,
  largestOf,
  tableOfLines,
  type Development,
  type LineOf,
} from '../analytics/development.js';
import { ChartQuery, partAt } from '../analytics/query-dialog.js';
import type { UnitLinks } from '../analytics/units-link.js';
import { Bars } from '../charts/bars.js';
import { drawBars } from '../charts/bars-drawing.js';
import { ChartCard } from '../charts/chart-card.js';
import { WithKnownHistory } from '../charts/known-history.js';
import { Lines } from '../charts/lines.js';
import { durationOf, durationsUpTo, frequencyOf, percentOf, wordsOf } from '../charts/words.js';
import { count } from '../ui/count.js';
import { View } from '../ui/view.js';
import type { Dora, DoraKeys } from './figures.js';
import { useDora } from './queries.js';

export interface FourKeysProps {
  readonly variables: DoraQueryVariables & OrganizationVariables;
  readonly links: UnitLinks;
}

/** DORA's four keys: in all, over time, and by team. */
export function FourKeys({ variables, links }: FourKeysProps): JSX.Element {
  return (
    <View query={useDora(variables)} what="the four keys">
      {({ answer, days }) =>
        answer === null ? null : (
          <WithKnownHistory days={days} range={variables.dateRange}>
            <Keys keys={answer.total} links={links} />
            <Charts answer={answer} variables={variables} />
          </WithKnownHistory>
        )
      }
    </View>
  );
}

function Keys({ keys, links }: { keys: DoraKeys; links: UnitLinks }): JSX.Element {
  const { deploymentFrequency, leadTime, changeFailureRate, timeToRestore, bands } = keys;
  const { deployments, perDay } = deploymentFrequency;
  const { rate, failed } = changeFailureRate;
  const of = (type: string): string => links.toBar('COUNT', 'WORK_TYPE', type);
  return (
    <dl class="totals">
      <Key
        name="Deployment frequency"
        href={of('deployment')}
        band={bands.deploymentFrequency}
        note={
          deployments === null
            ? 'no deployments to production are known'
            : count(deployments, 'deployment to production', 'deployments to production')
        }
      >
        {frequencyOf(perDay)}
      </Key>
      <Key
        name="Lead time for changes"
        href={of('pull_request')}
        band={bands.leadTime}
        note={
          leadTime.statistics === null
            ? 'no merged request is known to be deployed'
            : `median of ${count(leadTime.statistics.count, 'request', 'requests')}, ${percentOf(leadTime.coverage ?? 0)} of the merged ones`
        }
      >
        {medianOf(leadTime.statistics)}
      </Key>
      <Key
        name="Change failure rate"
        href={of('incident')}
        band={bands.changeFailureRate}
        note={
          deployments === null
            ? 'no deployments to production are known'
            : `${failed} of ${count(deployments, 'deployment', 'deployments')}`
        }
      >
        {rate === null ? '–' : percentOf(rate)}
      </Key>
      <Key
        name="Time to restore"
        href={of('incident')}
        band={bands.timeToRestore}
        note={
          timeToRestore.statistics === null
            ? 'no resolved incident is known'
            : `median of ${count(timeToRestore.statistics.count, 'resolved incident', 'resolved incidents')}`
        }
      >
        {medianOf(timeToRestore.statistics)}
      </Key>
    </dl>
  );
}

interface KeyProps {
  readonly name: string;
  readonly href: string;
  readonly band: AnalyticsSchema.DoraBand | null;
  readonly note: string;
  readonly children: ComponentChildren;
}

const tags = { STRONG: 'tag good', MODERATE: 'tag warn', POOR: 'tag bad' } as const;

function Key({ name, href, band, note, children }: KeyProps): JSX.Element {
  return (
    <div>
      <dt>
        {name} {band !== null && <span class={tags[band]}>{band.toLowerCase()}</span>}
      </dt>
      <dd>
        <Link href={href}>{children}</Link>
      </dd>
      <dd class="muted">{note}</dd>
    </div>
  );
}

function Charts({ answer, variables }: { answer: Dora; variables: FourKeysProps['variables'] }): JSX.Element {
  const interval = variables.interval === 'MONTH' ? 'month' : 'week';
  const leadTimes = leadTimesOf(answer);
  const deployments = deploymentsOf(answer);
  const teams = answer.items.toSorted((one, other) => one.key.localeCompare(other.key)); // teams are not ranked
  const byTeam = teams.flatMap(({ key, keys }) =>
    keys.leadTime.statistics === null ? [] : [{ key, value: keys.leadTime.statistics.median }],
  );
  const drawing = { dimension: 'TEAM', bars: byTeam, format: durationOf };
  const queryOf = (title: string, path: string): JSX.Element => (
    <ChartQuery query={dora} variables={variables} title={title} part={partAt(path)} />
  );
  const titles = {
    deployments: `Deployments by ${interval}`,
    leadTime: `Lead time by ${interval}`,
    byTeam: 'Four keys by team',
  };
  return (
    <>
      <div class="columns">
        <ChartCard
          title={titles.deployments}
          query={queryOf(titles.deployments, 'analytics.dora.buckets')}
          summary="Deployments to production, and those that an incident counts against."
          table={tableOfLines('', deployments)}
        >
          <Lines dimension="" {...deployments} span={variables.dateRange} label={titles.deployments} />
        </ChartCard>
        <ChartCard
          title={titles.leadTime}
          query={queryOf(titles.leadTime, 'analytics.dora.buckets')}
          summary="From the first commit of a request to its deployment, by the day of the merge."
          table={{ ...tableOfLines('', leadTimes), columns: ['From', 'Median (h)', '90th percentile (h)', 'Days'] }}
        >
          <Lines
            dimension=""
            {...leadTimes}
            span={variables.dateRange}
            label={titles.leadTime}
            unit={durationsUpTo(largestOf(leadTimes))}
          />
        </ChartCard>
      </div>
      {answer.items.length > 0 && (
        <ChartCard
          title={titles.byTeam}
          query={queryOf(titles.byTeam, 'analytics.dora.items')}
          draw={() => drawBars(drawing)}
          summary="The median lead time of teams with deployments, in alphabetical order. The table has all four keys."
          table={{
            columns: [
              'Team',
              'Deployments',
              'Deployments per day',
              'Median lead time (h)',
              'Change failure rate (%)',
              'Median time to restore (h)',
            ],
            rows: teams.map(({ key, keys }) => [
              wordsOf('TEAM', key),
              keys.deploymentFrequency.deployments,
              keys.deploymentFrequency.perDay,
              keys.leadTime.statistics?.median ?? null,
              keys.changeFailureRate.rate === null ? null : keys.changeFailureRate.rate * 100,
              keys.timeToRestore.statistics?.median ?? null,
            ]),
          }}
        >
          <Bars {...drawing} />
        </ChartCard>
      )}
    </>
  );
}

/** The two lines of lead times, in hours: a bucket without a known one has no point. */
function leadTimesOf({ buckets }: Dora): Development {
  const line = (key: string, of: 'median' | 'p90'): LineOf => ({
    key,
    buckets: buckets.map(({ date, coverage, keys: { leadTime } }) => ({
      date,
      coverage,
      value: leadTime.statistics?.[of] ?? null,
    })),
  });
  return developmentOfLines([line('Median', 'median'), line('90th percentile', 'p90')]);
}

function deploymentsOf({ buckets }: Dora): Development {
  const line = (key: string, of: (keys: DoraKeys) => number | null): LineOf => ({
    key,
    buckets: buckets.map(({ date, coverage, keys }) => ({ date, coverage, value: of(keys) })),
  });
  return developmentOfLines([
    line('Deployments', ({ deploymentFrequency }) => deploymentFrequency.deployments),
    line('Failed', ({ changeFailureRate }) => changeFailureRate.failed),
  ]);
}

/** A dash where nothing is known. @param statistics of hours */
function medianOf(statistics: { readonly median: number } | null): string {
  return statistics === null ? '–' : durationOf(statistics.median);
}
