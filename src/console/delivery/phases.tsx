import { requestPhases, type OrganizationVariables, type RequestPhasesQueryVariables } from '@plumbline/sdk/analytics';
import type { JSX } from 'preact';
import { ChartQuery, partAt } from '../analytics/query-dialog.js';
import type { UnitLinks } from '../analytics/units-link.js';
import { Bars } from '../charts/bars.js';
import { drawBars } from '../charts/bars-drawing.js';
import { ChartCard } from '../charts/chart-card.js';
import { WithKnownHistory } from '../charts/known-history.js';
import { durationOf, percentOf } from '../charts/words.js';
import { View } from '../ui/view.js';
import type { Phases } from './figures.js';
import { usePhases } from './queries.js';

export interface PhasesChartProps {
  /** By work type, so that the requests are one group. */
  readonly variables: RequestPhasesQueryVariables & OrganizationVariables;
  readonly links: UnitLinks;
}

const title = 'Phases of pull requests';

/** In the order in which a request passes them. */
const names: Readonly<Record<string, string>> = {
  CODING_HOURS: 'Coding',
  PICKUP_HOURS: 'Pickup',
  REVIEW_HOURS: 'Review',
  MERGE_HOURS: 'Merge',
  DEPLOY_HOURS: 'Deploy',
};

/** Where merged requests spend their time. */
export function PhasesChart({ variables, links }: PhasesChartProps): JSX.Element {
  return (
    <View query={usePhases(variables)} what="the phases of pull requests">
      {({ answer, days }) => (
        <WithKnownHistory days={days} range={variables.dateRange}>
          <Chart phases={answer} variables={variables} href={links.toBar('COUNT', 'WORK_TYPE', 'pull_request')} />
        </WithKnownHistory>
      )}
    </View>
  );
}

interface ChartProps {
  readonly phases: Phases;
  readonly variables: PhasesChartProps['variables'];
  readonly href: string;
}

function Chart({ phases, variables, href }: ChartProps): JSX.Element {
  const known = phases.flatMap(({ measure, items }) => {
    const requests = items.find(({ key }) => key === 'pull_request');
    return requests === undefined ? [] : [{ name: names[measure] ?? measure, ...requests }];
  });
  const bars = known.map(({ name, statistics }) => ({ key: name, value: statistics.median, href }));
  const drawing = { dimension: '', bars, format: durationOf };
  return (
    <ChartCard
      title={title}
      query={
        <ChartQuery
          query={requestPhases}
          variables={variables}
          title={title}
          part={partAt('analytics.distributions')}
        />
      }
      draw={() => drawBars(drawing)}
      summary={summaryOf(known)}
      table={{
        columns: [
          'Phase',
          'Median (h)',
          '75th percentile (h)',
          '90th percentile (h)',
          'Requests',
          'Known (%)',
          'Median before (h)',
        ],
        rows: known.map(({ name, statistics, coverage, baseline }) => [
          name,
          statistics.median,
          statistics.p75,
          statistics.p90,
          statistics.count,
          coverage * 100,
          baseline?.median ?? null,
        ]),
      }}
    >
      <Bars {...drawing} />
    </ChartCard>
  );
}

/** The longest phase, and how much of the requests the figures are about. */
function summaryOf(
  known: readonly {
    readonly name: string;
    readonly coverage: number;
    readonly statistics: { readonly median: number };
  }[],
): string {
  const [longest] = known.toSorted((one, other) => other.statistics.median - one.statistics.median);
  if (longest === undefined)
    return 'No phase of a merged request is known in this period. Code hosts report them; a clone has none.';
  return `Medians. ${longest.name} takes longest; it is known for ${percentOf(longest.coverage)} of the merged requests.`;
}
