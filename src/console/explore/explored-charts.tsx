import { explore, type ExploreQueryVariables } from '@plumbline/sdk/analytics';
import type { JSX } from 'preact';
import { developmentOf, largestOf, mostLines, tableOfBars, tableOfLines, totalOf } from '../analytics/development.js';
import { datesOf, type Calendar } from '../analytics/period.js';
import { dimensions } from '../analytics/picks.js';
import { ChartQuery, itemsOf, linesOf, type ReplyPart } from '../analytics/query-dialog.js';
import { linksOf } from '../analytics/units-link.js';
import { Bars } from '../charts/bars.js';
import { drawBars } from '../charts/bars-drawing.js';
import { ChartCard } from '../charts/chart-card.js';
import { Lines } from '../charts/lines.js';
import { durationOf, durationsUpTo, numberOf, percentOf, wordsOf } from '../charts/words.js';
import { intervals, measures, titleOf, type Choices } from './choices.js';
import type { Explored } from './figures.js';

export interface ExploredChartsProps {
  readonly choices: Choices;
  /** What the data were asked for with. */
  readonly variables: ExploreQueryVariables;
  readonly data: Explored;
  readonly calendar: Calendar;
}

/** The measure by the dimension: in all, and over time. */
export function ExploredCharts({ choices, variables, data, calendar }: ExploredChartsProps): JSX.Element {
  const { dimension, measure, interval } = choices;
  const links = linksOf(choices);
  const toPoint = links.ofLine(measure, dimension);
  const isMean = measure === 'CYCLE_TIME_HOURS';
  const format = isMean ? durationOf : numberOf;
  const bars = (data.breakdowns[0]?.items ?? []).map(({ key, value }) => ({
    key,
    value,
    href: links.toBar(measure, dimension, key),
  }));
  const development = developmentOf(data.timeseries, datesOf(variables.dateRange, interval, calendar));
  const drawn = { ...development, series: development.series.slice(0, mostLines) };
  const title = titleOf(choices);
  const drawing = { dimension, bars, format };
  const overTime = `${title}, by ${intervals[interval].toLowerCase()}`;
  const queryOf = (name: string, part: ReplyPart): JSX.Element => (
    <ChartQuery query={explore} variables={variables} title={name} part={part} />
  );
  return (
    <>
      <ChartCard
        title={title}
        query={queryOf(title, itemsOf(0))}
        draw={() => drawBars(drawing)}
        summary={summaryOf(choices, bars, format)}
        table={tableOfBars(dimension, [dimensions[dimension].label, isMean ? 'Hours' : measures[measure]], bars)}
      >
        <Bars {...drawing} whole={isMean ? 0 : totalOf(bars)} />
      </ChartCard>
      <ChartCard
        title={overTime}
        query={queryOf(overTime, linesOf(dimension))}
        summary={
          development.series.length > mostLines
            ? `The ${mostLines} largest of ${development.series.length} are drawn; the table and the CSV file have all.`
            : 'One line for each value.'
        }
        table={tableOfLines(dimension, development, toPoint)}
      >
        <Lines
          dimension={dimension}
          {...drawn}
          span={variables.dateRange}
          label={overTime}
          {...(isMean && { unit: durationsUpTo(largestOf(drawn)) })}
          hrefOf={toPoint}
        />
      </ChartCard>
    </>
  );
}

function summaryOf(
  { dimension, measure }: Choices,
  bars: readonly { readonly key: string; readonly value: number }[],
  format: (value: number) => string,
): string {
  const [largest] = bars;
  if (largest === undefined) return 'There is nothing to show.';
  const name = wordsOf(dimension, largest.key);
  if (measure === 'CYCLE_TIME_HOURS') return `${name} has the longest mean cycle time: ${format(largest.value)}.`;
  const total = totalOf(bars);
  const part = total === 0 ? '' : `, ${percentOf(largest.value / total)} of what is shown`;
  return `${name} has the most: ${format(largest.value)}${part}.`;
}
