import {
  workInProgress,
  type OrganizationVariables,
  type WorkInProgressQueryVariables,
} from '@plumbline/sdk/analytics';
import type { JSX } from 'preact';
import { tableOfLines } from '../analytics/development.js';
import { ChartQuery, partAt } from '../analytics/query-dialog.js';
import { ChartCard } from '../charts/chart-card.js';
import { WithKnownHistory } from '../charts/known-history.js';
import { Lines } from '../charts/lines.js';
import { durationOf } from '../charts/words.js';
import { count } from '../ui/count.js';
import { View } from '../ui/view.js';
import type { OpenRequests } from './figures.js';
import { useOpenRequests } from './queries.js';

const title = 'Open pull requests';

/** How many requests are open, and since when. */
export function OpenRequestsChart({
  variables,
}: {
  variables: WorkInProgressQueryVariables & OrganizationVariables;
}): JSX.Element {
  return (
    <View query={useOpenRequests(variables)} what="the open pull requests">
      {({ answer, days }) => {
        if (answer === null) return null;
        const development = {
          dates: answer.buckets.map(({ date }) => date),
          series: [
            {
              key: 'Open',
              values: new Map(
                answer.buckets.flatMap(({ date, count }) => (count === null ? [] : [[date, count] as const])),
              ),
            },
          ],
        };
        return (
          <WithKnownHistory days={days} range={variables.dateRange}>
            <ChartCard
              title={title}
              query={
                <ChartQuery
                  query={workInProgress}
                  variables={variables}
                  title={title}
                  part={partAt('analytics.workInProgress')}
                />
              }
              summary={summaryOf(answer)}
              table={tableOfLines('', development)}
            >
              <Lines dimension="" {...development} span={variables.dateRange} label="Open pull requests over time" />
            </ChartCard>
          </WithKnownHistory>
        );
      }}
    </View>
  );
}

function summaryOf({ total: { count: open, ageDays } }: OpenRequests): string {
  if (open === null) return 'How many requests were open is not known.';
  if (open === 0 || ageDays === null) return 'No request was open at the end of the period.';
  const [median, p90] = [ageDays.median, ageDays.p90].map((days) => durationOf(days * 24));
  return `${count(open, 'request was', 'requests were')} open at the end of the period: half of them for ${median} or longer, a tenth for ${p90} or longer.`;
}
