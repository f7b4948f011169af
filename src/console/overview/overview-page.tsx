import { overview } from '@plumbline/sdk/analytics';
import type { JSX } from 'preact';
import { Freshness } from '../analytics/freshness.js';
import type { Dimension } from '../analytics/client.js';
import { largestOf, tableOfBars, tableOfLines, totalOf, type Development } from '../analytics/development.js';
import { useLimits, useToday } from '../analytics/calendar.js';
import { FilterBar } from '../analytics/filter-bar.js';
import { datesOf, intervalOf, periodOf } from '../analytics/period.js';
import { ChartQuery, flowPart, itemsOf, linesOf, QueryDialog, type ReplyPart } from '../analytics/query-dialog.js';
import { filtersOfScope, picksOfScope, scopeOf } from '../analytics/scope.js';
import { useSearchParts } from '../analytics/search.js';
import { linksOf, type UnitLinks } from '../analytics/units-link.js';
import { Bars, type Bar } from '../charts/bars.js';
import { drawBars } from '../charts/bars-drawing.js';
import { ChartCard } from '../charts/chart-card.js';
import { Flow } from '../charts/flow.js';
import { WithKnownHistory } from '../charts/known-history.js';
import { WithOrigin } from '../charts/origin.js';
import { Lines } from '../charts/lines.js';
import { durationsUpTo, percentOf, unitsOf, wordsOf } from '../charts/words.js';
import { useMe } from '../session/queries.js';
import { Page } from '../shell/page.js';
import { View } from '../ui/view.js';
import { useOverview, type OverviewQueryVariables } from './analytics.js';
import { figuresOf, places, tableOfFlow, type Figures } from './figures.js';
import { useNoWork } from './no-work.js';
import { Totals } from './totals.js';

/** Where the work of the organization goes. */
export default function OverviewPage(): JSX.Element {
  const orgId = useMe().data?.org_id ?? '';
  const [search, setParts] = useSearchParts();
  const period = periodOf(search, useToday());
  const scope = scopeOf(search);
  const interval = intervalOf(period.range);
  const variables: OverviewQueryVariables = {
    orgId,
    dateRange: period.range,
    previous: period.previous,
    interval,
    filters: filtersOfScope(scope),
  };
  const figures = useOverview(variables);
  const limits = useLimits();
  const calendar = limits.data?.calendar;
  const dates = calendar === undefined ? [] : datesOf(period.range, interval, calendar);
  const isEmpty =
    figures.data !== undefined && calendar !== undefined && totalOf(figuresOf(figures.data, dates).units) === 0;
  const nothing = useNoWork(isEmpty);
  const links = linksOf({ period, picks: picksOfScope(scope), interval, isWhole: false });
  return (
    <Page
      title="Overview"
      intro="Where the work of your organization goes. Every figure leads to the work units behind it."
      actions={<QueryDialog query={overview} variables={variables} />}
    >
      <FilterBar orgId={orgId} period={period} scope={scope} onChange={setParts} />
      <Freshness orgId={orgId} />
      <View query={figures} what="the overview" empty={() => (isEmpty ? nothing : null)}>
        {(data) => (
          <View query={limits} what="the calendar">
            {() => (
              <WithKnownHistory days={data} range={period.range}>
                <WithOrigin range={period.range} picks={picksOfScope(scope)}>
                  <Charts figures={figuresOf(data, dates)} variables={variables} links={links} />
                </WithOrigin>
              </WithKnownHistory>
            )}
          </View>
        )}
      </View>
    </Page>
  );
}

interface ChartsProps {
  readonly figures: Figures;
  /** What the figures were asked for with. */
  readonly variables: OverviewQueryVariables;
  readonly links: UnitLinks;
}

function Charts({ figures, variables, links }: ChartsProps): JSX.Element {
  const interval = variables.interval === 'DAY' ? 'day' : 'week';
  const queryOf = (title: string, part: ReplyPart): JSX.Element => (
    <ChartQuery query={overview} variables={variables} title={title} part={part} />
  );
  const { flow, byTheme, byTeam, cycleTimes } = figures;
  const linked = (dimension: Dimension, bars: readonly Bar[]): readonly Bar[] =>
    bars.map((bar) => ({ ...bar, href: links.toBar('COUNT', dimension, bar.key) }));
  const themes = linked('THEME', figures.themes);
  const subcategories = linked('SUBCATEGORY', figures.subcategories);
  const byThemes = { dimension: 'THEME', bars: themes };
  const bySubcategories = { dimension: 'SUBCATEGORY', bars: subcategories.slice(0, 10) };
  const [toTheme, toTeam, toType] = [
    links.ofLine('COUNT', 'THEME'),
    links.ofLine('THROUGHPUT', 'TEAM'),
    links.ofLine('CYCLE_TIME_HOURS', 'WORK_TYPE'),
  ];
  return (
    <>
      <Totals figures={figures} variables={variables} links={links} />
      <div class="columns">
        <ChartCard
          title="Work by theme"
          query={queryOf('Work by theme', itemsOf(places.themes))}
          draw={() => drawBars(byThemes)}
          summary={summaryOf(themes)}
          table={tableOfBars('THEME', ['Theme', 'Work units'], themes)}
        >
          <Bars {...byThemes} whole={totalOf(themes)} />
        </ChartCard>
        <ChartCard
          title="Work by subcategory"
          query={queryOf('Work by subcategory', itemsOf(places.subcategories))}
          draw={() => drawBars(bySubcategories)}
          summary={summaryOfKinds(bySubcategories.bars.length, subcategories.length)}
          table={tableOfBars('SUBCATEGORY', ['Subcategory', 'Work units'], subcategories)}
        >
          <Bars {...bySubcategories} whole={totalOf(subcategories)} />
        </ChartCard>
      </div>
      {flow !== null && flow.nodes.length > 0 && (
        <ChartCard
          title="Flow of work"
          query={queryOf('Flow of work', flowPart)}
          summary={`From themes through repositories to teams. ${percentOf(flow.coverage?.themeCoverage ?? 0)} of the work has a theme, ${percentOf(flow.coverage?.repoCoverage ?? 0)} a repository, and ${percentOf(flow.coverage?.teamCoverage ?? 0)} a team.`}
          table={tableOfFlow(flow, links.toNodes)}
        >
          <Flow
            nodes={flow.nodes}
            edges={flow.edges}
            label="Flow of work from themes through repositories to teams"
            hrefOf={links.toNodes}
          />
        </ChartCard>
      )}
      <ChartCard
        title={`Work units by ${interval}`}
        query={queryOf(`Work units by ${interval}`, linesOf('THEME'))}
        summary="One line per theme, by the day of completion."
        table={tableOfLines('THEME', byTheme, toTheme)}
      >
        <Lines
          dimension="THEME"
          {...byTheme}
          span={variables.dateRange}
          label={`Work units by ${interval} and theme`}
          hrefOf={toTheme}
        />
      </ChartCard>
      <div class="columns">
        <ChartCard
          title={`Completed by ${interval}`}
          query={queryOf(`Completed by ${interval}`, linesOf('TEAM'))}
          summary="Completed work units of the teams with the most."
          table={tableOfLines('TEAM', byTeam, toTeam)}
        >
          <Lines
            dimension="TEAM"
            {...byTeam}
            span={variables.dateRange}
            label={`Completed work units by ${interval} and team`}
            hrefOf={toTeam}
          />
        </ChartCard>
        <ChartCard
          title="Cycle time"
          query={queryOf('Cycle time', linesOf('WORK_TYPE'))}
          summary={summaryOfCycleTimes(cycleTimes)}
          table={tableOfLines('WORK_TYPE', cycleTimes, toType)}
        >
          <Lines
            dimension="WORK_TYPE"
            {...cycleTimes}
            span={variables.dateRange}
            label={`Mean cycle time by ${interval} and type of work`}
            unit={durationsUpTo(largestOf(cycleTimes))}
            hrefOf={toType}
          />
        </ChartCard>
      </div>
    </>
  );
}

/** How many kinds of work are drawn, and how many the table has. */
function summaryOfKinds(drawn: number, all: number): string {
  const kinds = drawn === 1 ? 'The most frequent kind of work.' : `The ${drawn} most frequent kinds of work.`;
  return all > drawn ? `${kinds} The table and the CSV file have ${all}.` : kinds;
}

function summaryOfCycleTimes({ series }: Development): string {
  return series.some(({ values }) => values.size > 0)
    ? 'Mean time from start to completion, apart for each type of work.'
    : 'When the work of this period began is not known: commits that are squashed or made in place do not tell.';
}

/** Names the largest theme, and how much of the work has none. */
function summaryOf(themes: readonly Bar[]): string {
  const [largest] = themes;
  if (largest === undefined) return 'There is no work.';
  const total = totalOf(themes);
  const unclassified = themes.find(({ key }) => key === 'unclassified')?.value ?? 0;
  return (
    `${wordsOf('THEME', largest.key)} has the largest share: ${percentOf(largest.value / total)} of ${unitsOf(total)}. ` +
    (unclassified === 0 ? 'All work is classified.' : `${percentOf(unclassified / total)} is unclassified.`)
  );
}
