import { codeHealth, type CodeHealthQueryVariables, type OrganizationVariables } from '@plumbline/sdk/analytics';
import type { ComponentChildren, JSX } from 'preact';
import { daysOf } from '../analytics/period.js';
import { ChartQuery, partAt } from '../analytics/query-dialog.js';
import { Bars } from '../charts/bars.js';
import { drawBars } from '../charts/bars-drawing.js';
import { ChartCard } from '../charts/chart-card.js';
import { dayOf, percentOf } from '../charts/words.js';
import { count } from '../ui/count.js';
import { View } from '../ui/view.js';
import type { CodeHealth } from './figures.js';
import { useCodeHealth } from './queries.js';

export interface CodeHealthProps {
  readonly variables: CodeHealthQueryVariables & OrganizationVariables;
}

/** Files and directories of one repository that need attention. */
export function CodeHealthCharts({ variables }: CodeHealthProps): JSX.Element {
  return (
    <View
      query={useCodeHealth(variables)}
      what="the health of the code"
      empty={({ commits }) =>
        commits === 0
          ? {
              title: 'No commits in this period',
              text: 'Choose a longer period, or sync the history of this repository.',
            }
          : null
      }
    >
      {(health) => (
        <>
          <KnownFiles health={health} variables={variables} />
          <div class="columns">
            <Hotspots health={health} variables={variables} />
            <Directories health={health} variables={variables} />
          </div>
        </>
      )}
    </View>
  );
}

/** Which commits the figures are about, where these are not all of the period. */
function KnownFiles({ health, variables }: CodeHealthProps & { health: CodeHealth }): JSX.Element | null {
  const { coverage, commits, knownSince } = health;
  if (coverage === null || (coverage === 1 && knownSince === null)) return null;
  const known = Math.round(coverage * commits);
  if (knownSince === null) {
    return <Note>The changed files of the {count(commits, 'commit', 'commits')} are not known.</Note>;
  }
  const isLate = daysOf(variables.dateRange.startDate, knownSince) > lateDays;
  if (coverage === 1 && !isLate) return null;
  return (
    <Note>
      Known since {dayOf(knownSince)}: files and directories are ranked by {known} of{' '}
      {count(commits, 'commit', 'commits')}, whose changed files are known ({percentOf(coverage)}).
    </Note>
  );
}

/** A repository where nobody changed anything for so long at the beginning of the period is rather not known. */
const lateDays = 7;

function Note({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <div class="banner warn" role="note">
      <p>{children}</p>
    </div>
  );
}

function Hotspots({ health, variables }: CodeHealthProps & { health: CodeHealth }): JSX.Element {
  const title = 'Hotspots';
  const bars = health.hotspots.flatMap(({ path, score }) => (score === null ? [] : [{ key: path, value: score }]));
  const drawing = { dimension: '', bars };
  return (
    <ChartCard
      title={title}
      query={<ChartQuery query={codeHealth} variables={variables} title={title} part={partAt('codeHealth.hotspots')} />}
      draw={() => drawBars(drawing)}
      summary={`Files that change often and are long: changes times lines. ${reworkOf(health)}`}
      table={{
        columns: ['File', 'Changes', 'Changed lines', 'Lines', 'Score'],
        rows: health.hotspots.map(({ path, changes, changedLines, lines, score }) => [
          path,
          changes,
          changedLines,
          lines,
          score,
        ]),
      }}
    >
      <Bars {...drawing} />
    </ChartCard>
  );
}

function reworkOf({ rework, commits, coverage }: CodeHealth): string {
  const known = `${count(Math.round((coverage ?? 0) * commits), 'commit', 'commits')} with known files`;
  if (rework?.share == null) return `From ${known}.`;
  return `Up to ${percentOf(rework.share)} of the lines deleted in ${known} were at most 21 days old.`;
}

function Directories({ health, variables }: CodeHealthProps & { health: CodeHealth }): JSX.Element {
  const title = 'Changes by directory';
  const bars = health.directories.map(({ path, changes }) => ({ key: path, value: changes }));
  const drawing = { dimension: '', bars };
  const [narrow] = health.directories.toSorted((one, other) => one.busFactor - other.busFactor);
  return (
    <ChartCard
      title={title}
      query={
        <ChartQuery query={codeHealth} variables={variables} title={title} part={partAt('codeHealth.directories')} />
      }
      draw={() => drawBars(drawing)}
      summary={
        narrow === undefined
          ? 'Nothing changed.'
          : `${count(narrow.busFactor, 'person', 'people')} did half of the changes in ${narrow.path}. The table has this bus factor of each directory.`
      }
      table={{
        columns: ['Directory', 'Changes', 'Authors', 'Bus factor'],
        rows: health.directories.map(({ path, changes, authors, busFactor }) => [path, changes, authors, busFactor]),
      }}
    >
      <Bars {...drawing} />
    </ChartCard>
  );
}
