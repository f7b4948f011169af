import { reviews, type OrganizationVariables, type ReviewsQueryVariables } from '@plumbline/sdk/analytics';
import type { JSX } from 'preact';
import { ChartQuery, partAt } from '../analytics/query-dialog.js';
import { Bars } from '../charts/bars.js';
import { drawBars } from '../charts/bars-drawing.js';
import { ChartCard } from '../charts/chart-card.js';
import { WithKnownHistory } from '../charts/known-history.js';
import { durationOf, percentOf } from '../charts/words.js';
import { count } from '../ui/count.js';
import { View } from '../ui/view.js';
import type { Reviews } from './figures.js';
import { useReviews } from './queries.js';

const title = 'Review time by size';

/** Who carries the reviews, in numbers, and how long reviews take by the size of requests. */
export function ReviewsChart({ variables }: { variables: ReviewsQueryVariables & OrganizationVariables }): JSX.Element {
  return (
    <View query={useReviews(variables)} what="the reviews">
      {({ answer, days }) =>
        answer === null ? null : (
          <WithKnownHistory days={days} range={variables.dateRange}>
            <Chart answer={answer} variables={variables} />
          </WithKnownHistory>
        )
      }
    </View>
  );
}

function Chart({
  answer,
  variables,
}: {
  answer: Reviews;
  variables: ReviewsQueryVariables & OrganizationVariables;
}): JSX.Element {
  const known = answer.sizes.flatMap((size) =>
    size.statistics === null ? [] : [{ ...size, statistics: size.statistics }],
  );
  const bars = known.map((size) => ({ key: linesOf(size), value: size.statistics.median }));
  const drawing = { dimension: '', bars, format: durationOf };
  return (
    <ChartCard
      title={title}
      query={<ChartQuery query={reviews} variables={variables} title={title} part={partAt('analytics.reviews')} />}
      draw={() => drawBars(drawing)}
      summary={summaryOf(answer)}
      table={{
        columns: ['Changed lines', 'Median (h)', '90th percentile (h)', 'Requests'],
        rows: known.map((size) => [linesOf(size), size.statistics.median, size.statistics.p90, size.statistics.count]),
      }}
    >
      <Bars {...drawing} />
    </ChartCard>
  );
}

function linesOf({ fromLines, toLines }: Reviews['sizes'][number]): string {
  if (fromLines === null) return 'Unknown size';
  return toLines === null ? `${fromLines.toLocaleString()} lines or more` : `${fromLines} to ${toLines} lines`;
}

function summaryOf({ total }: Reviews): string {
  if (total === null) return 'No reviews are known in this period. Code hosts report them; a clone has none.';
  const { requests, reviewedShare, reviewers, halfOfReviewsBy } = total;
  const share = `${percentOf(reviewedShare)} of ${count(requests, 'merged request', 'merged requests')} had a review`;
  if (halfOfReviewsBy === null) return `${share}.`;
  return `${share}, by ${count(reviewers, 'person', 'people')}; ${halfOfReviewsBy} of them did half of the reviews.`;
}
