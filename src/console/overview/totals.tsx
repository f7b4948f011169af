import type { ComponentChildren, JSX } from 'preact';
import { Link } from 'wouter-preact';
import { useToday } from '../analytics/calendar.js';
import { totalOf } from '../analytics/development.js';
import { endsUnread } from '../analytics/period.js';
import type { UnitLinks } from '../analytics/units-link.js';
import { dayOf, durationOf, numberOf, percentOf } from '../charts/words.js';
import type { OverviewQueryVariables } from './analytics.js';
import type { Figures } from './figures.js';

interface TotalsProps {
  readonly figures: Figures;
  readonly variables: OverviewQueryVariables;
  readonly links: UnitLinks;
}

/** The figures of the whole period, beside those of the period before. */
export function Totals({ figures, variables, links }: TotalsProps): JSX.Element {
  const { units, unitsBefore, churn, cycleTime, flow } = figures;
  const today = useToday();
  const known = flow?.coverage?.churnCoverage ?? 1;
  const [now, before] = [totalOf(units), totalOf(unitsBefore)];
  const requests = units.find(({ key }) => key === 'pull_request')?.value ?? 0;
  const requestTime = cycleTime.find(({ key }) => key === 'pull_request')?.value;
  return (
    <dl class="totals">
      <Total name="Work units" href={links.toAll('COUNT')} note={noteOn(now, before, figures, { ...variables, today })}>
        {numberOf(now)}
      </Total>
      <Total
        name="Pull requests"
        href={links.toBar('COUNT', 'WORK_TYPE', 'pull_request')}
        note={`${percentOf(now === 0 ? 0 : requests / now)} of the work units`}
      >
        {numberOf(requests)}
      </Total>
      <Total
        name="Cycle time of pull requests"
        href={links.toBar('CYCLE_TIME_HOURS', 'WORK_TYPE', 'pull_request')}
        note={noteOnCycleTime(requests, requestTime)}
      >
        {requestTime === undefined ? '–' : durationOf(requestTime)}
      </Total>
      <Total
        name="Lines changed"
        href={links.toAll('CHURN_LOC')}
        note={`added and deleted${known < 1 ? `, known for ${percentOf(known)} of the work` : ''}`}
      >
        {known === 0 ? '–' : numberOf(totalOf(churn))}
      </Total>
    </dl>
  );
}

interface TotalProps {
  readonly name: string;
  readonly href: string;
  readonly note: string;
  readonly children: ComponentChildren;
}

function Total({ name, href, note, children }: TotalProps): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Link href={href}>{children}</Link>
      </dd>
      <dd class="muted">{note}</dd>
    </div>
  );
}

function noteOnCycleTime(requests: number, mean: number | undefined): string {
  if (mean !== undefined) return 'mean, from first commit to merge';
  return requests === 0 ? 'no pull request is known' : 'not known: no first commit to measure from';
}

/** Compares with the period before only if all days of both are known. */
function noteOn(
  now: number,
  before: number,
  { knownSince, knownUntil }: Figures,
  { previous, dateRange, today }: OverviewQueryVariables & { readonly today: string },
): string {
  if (knownSince === null) return '';
  if (knownSince > dateRange.startDate) return `known since ${dayOf(knownSince)}`;
  if (knownSince > previous.startDate) return `known since ${dayOf(knownSince)}: nothing to compare with`;
  if (dateRange.endDate > today) return 'not over yet: nothing to compare with';
  if (knownUntil !== null && endsUnread(dateRange, knownUntil))
    return `known until ${dayOf(knownUntil)}: nothing to compare with`;
  return before === 0 ? 'none in the period before' : `${changeOf(now, before)} than the period before`;
}

function changeOf(now: number, before: number): string {
  const part = Math.abs(now - before) / before;
  return `${percentOf(part)} ${now >= before ? 'more' : 'fewer'}`;
}
