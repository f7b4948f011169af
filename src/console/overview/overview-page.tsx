import type { JSX } from 'preact';
import { Link, useSearchParams } from 'wouter-preact';
import { Bars, type Bar } from '../charts/bars.js';
import { ChartCard } from '../charts/chart-card.js';
import { Flow } from '../charts/flow.js';
import { Lines } from '../charts/lines.js';
import { durationOf, durationsUpTo, numberOf, percentOf, wordsOf } from '../charts/words.js';
import { useMe } from '../session/queries.js';
import { Page } from '../shell/page.js';
import { View } from '../ui/view.js';
import { useOverview, type Overview, type OverviewQueryVariables } from './analytics.js';
import { figuresOf, largestOf, tableOfBars, tableOfFlow, tableOfLines, totalOf, type Figures } from './figures.js';
import { FilterBar } from './filter-bar.js';
import { intervalOf, periodOf } from './period.js';
import { QueryDialog } from './query-dialog.js';
import { scopeOf } from './scope.js';

/** Where the work of the organization goes. */
export default function OverviewPage(): JSX.Element {
  const orgId = useMe().data?.org_id ?? '';
  const [search, setSearch] = useSearchParams();
  const period = periodOf(search, Date.now());
  const scope = scopeOf(search);
  const variables: OverviewQueryVariables = {
    orgId,
    dateRange: period.range,
    previous: period.previous,
    interval: intervalOf(period.range),
    filters: scope === null ? null : { scope: { level: scope.level, ids: [scope.id] } },
  };
  return (
    <Page
      title="Overview"
      intro="Where the work of your organization goes."
      actions={<QueryDialog variables={variables} />}
    >
      <FilterBar
        orgId={orgId}
        period={period}
        scope={scope}
        onChange={(parts) => {
          setSearch((before) => {
            for (const [name, value] of Object.entries(parts)) {
              if (value === null) before.delete(name);
              else before.set(name, value);
            }
            return before;
          });
        }}
      />
      <View query={useOverview(variables)} what="the overview" empty={emptiness}>
        {(data) => <Charts figures={figuresOf(data)} interval={variables.interval === 'DAY' ? 'day' : 'week'} />}
      </View>
    </Page>
  );
}

function emptiness(data: Overview): { title: string; text: string; action: JSX.Element } | null {
  if (totalOf(figuresOf(data).units) > 0) return null;
  return {
    title: 'No work in this period',
    text: 'Choose a longer period, or sync repositories. Work units appear after the first sync.',
    action: (
      <Link class="button primary" href="/onboarding">
        Connect a source
      </Link>
    ),
  };
}

function Charts({ figures, interval }: { figures: Figures; interval: string }): JSX.Element {
  const { themes, subcategories, flow, byTheme, byTeam, cycleTimes } = figures;
  return (
    <>
      <Totals figures={figures} />
      <div class="columns">
        <ChartCard
          title="Work by theme"
          picture={false}
          summary={summaryOf(themes)}
          table={tableOfBars('THEME', 'Theme', themes)}
        >
          <Bars dimension="THEME" bars={themes} shares />
        </ChartCard>
        <ChartCard
          title="Work by subcategory"
          picture={false}
          summary={`The ${subcategories.length} most frequent kinds of work.`}
          table={tableOfBars('SUBCATEGORY', 'Subcategory', subcategories)}
        >
          <Bars dimension="SUBCATEGORY" bars={subcategories.slice(0, 10)} shares />
        </ChartCard>
      </div>
      {flow !== null && flow.nodes.length > 0 && (
        <ChartCard
          title="Flow of work"
          summary={`From themes through repositories to teams. ${percentOf(flow.coverage?.themeCoverage ?? 0)} of the work has a theme, ${percentOf(flow.coverage?.repoCoverage ?? 0)} a repository, and ${percentOf(flow.coverage?.teamCoverage ?? 0)} a team.`}
          table={tableOfFlow(flow)}
        >
          <Flow nodes={flow.nodes} edges={flow.edges} label="Flow of work from themes through repositories to teams" />
        </ChartCard>
      )}
      <ChartCard
        title={`Work units by ${interval}`}
        summary="One line per theme, by the day of completion."
        table={tableOfLines('THEME', byTheme)}
      >
        <Lines dimension="THEME" {...byTheme} label={`Work units by ${interval} and theme`} />
      </ChartCard>
      <div class="columns">
        <ChartCard
          title={`Completed by ${interval}`}
          summary="Completed work units of the teams with the most."
          table={tableOfLines('TEAM', byTeam)}
        >
          <Lines dimension="TEAM" {...byTeam} label={`Completed work units by ${interval} and team`} />
        </ChartCard>
        <ChartCard
          title="Cycle time"
          summary="Mean time from start to completion, apart for each type of work."
          table={tableOfLines('WORK_TYPE', cycleTimes)}
        >
          <Lines
            dimension="WORK_TYPE"
            {...cycleTimes}
            label={`Mean cycle time by ${interval} and type of work`}
            format={durationsUpTo(largestOf(cycleTimes))}
          />
        </ChartCard>
      </div>
    </>
  );
}

/** Names the largest theme, and how much of the work has none. */
function summaryOf(themes: readonly Bar[]): string {
  const [largest] = themes;
  if (largest === undefined) return 'There is no work.';
  const total = totalOf(themes);
  const unclassified = themes.find(({ key }) => key === 'unclassified')?.value ?? 0;
  return (
    `${wordsOf('THEME', largest.key)} has the largest share: ${percentOf(largest.value / total)} of ${numberOf(total)} work units. ` +
    (unclassified === 0 ? 'All work is classified.' : `${percentOf(unclassified / total)} is unclassified.`)
  );
}

function Totals({ figures: { units, unitsBefore, churn, cycleTime, flow } }: { figures: Figures }): JSX.Element {
  const known = flow?.coverage?.churnCoverage ?? 1;
  const [now, before] = [totalOf(units), totalOf(unitsBefore)];
  const requests = units.find(({ key }) => key === 'pull_request')?.value ?? 0;
  const requestTime = cycleTime.find(({ key }) => key === 'pull_request')?.value;
  return (
    <dl class="totals">
      <div>
        <dt>Work units</dt>
        <dd>{numberOf(now)}</dd>
        <dd class="muted">
          {before === 0 ? 'none in the period before' : `${changeOf(now, before)} than the period before`}
        </dd>
      </div>
      <div>
        <dt>Pull requests</dt>
        <dd>{numberOf(requests)}</dd>
        <dd class="muted">{percentOf(now === 0 ? 0 : requests / now)} of the work units</dd>
      </div>
      <div>
        <dt>Cycle time of pull requests</dt>
        <dd>{requestTime === undefined ? '–' : durationOf(requestTime)}</dd>
        <dd class="muted">mean, from first commit to merge</dd>
      </div>
      <div>
        <dt>Lines changed</dt>
        <dd>{numberOf(totalOf(churn))}</dd>
        <dd class="muted">added and deleted{known < 1 && `, known for ${percentOf(known)} of the work`}</dd>
      </div>
    </dl>
  );
}

function changeOf(now: number, before: number): string {
  const part = Math.abs(now - before) / before;
  return `${percentOf(part)} ${now >= before ? 'more' : 'fewer'}`;
}
