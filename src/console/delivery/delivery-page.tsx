import type { JSX } from 'preact';
import { useToday } from '../analytics/calendar.js';
import { Freshness } from '../analytics/freshness.js';
import { FilterBar } from '../analytics/filter-bar.js';
import { daysOf, periodOf } from '../analytics/period.js';
import { filtersOfScope, picksOfScope, scopeOf, type Level } from '../analytics/scope.js';
import { useSearchParts } from '../analytics/search.js';
import { linksOf } from '../analytics/units-link.js';
import { WithOrigin } from '../charts/origin.js';
import { useMe } from '../session/queries.js';
import { Page } from '../shell/page.js';
import { CodeHealthCharts } from './code-health.js';
import { FourKeys } from './four-keys.js';
import { OpenRequestsChart } from './open-requests.js';
import { PhasesChart } from './phases.js';
import { ReviewsChart } from './reviews.js';

/** No figure of this page is about a single person (src/analytics/FIGURES.md). */
const levels: readonly Level[] = ['TEAM', 'REPO'];

/** A chart of months has at least six points. */
const daysOfMonths = 182;

/** How work gets to production. */
export default function DeliveryPage(): JSX.Element {
  const orgId = useMe().data?.org_id ?? '';
  const [search, setParts] = useSearchParts();
  const period = periodOf(search, useToday());
  const { range } = period;
  const chosen = scopeOf(search);
  const scope = chosen !== null && levels.includes(chosen.level) ? chosen : null;
  const interval = daysOf(range.startDate, range.endDate) > daysOfMonths ? 'MONTH' : 'WEEK';
  const asked = { orgId, dateRange: range, filters: filtersOfScope(scope) };
  const links = linksOf({ period, picks: picksOfScope(scope), interval, isWhole: true });
  return (
    <Page
      title="Delivery"
      intro="How work gets to production: DORA's four keys, the phases of pull requests, and their reviews. Compare a team with its past, not with others."
    >
      <FilterBar orgId={orgId} period={period} scope={scope} offered={levels} onChange={setParts} />
      <Freshness orgId={orgId} />
      <WithOrigin range={range} picks={picksOfScope(scope)}>
        <FourKeys variables={{ ...asked, interval }} links={links} />
        <div class="columns">
          <PhasesChart variables={{ ...asked, dimension: 'WORK_TYPE' }} links={links} />
          <ReviewsChart variables={asked} />
        </div>
        <OpenRequestsChart variables={{ ...asked, interval }} />
        {scope?.level === 'REPO' ? (
          <CodeHealthCharts variables={{ orgId, repo: scope.id, dateRange: range }} />
        ) : (
          <p class="muted">Choose a repository to see which files and directories change most.</p>
        )}
      </WithOrigin>
    </Page>
  );
}
