import { workUnits, type WorkUnitsQueryVariables } from '@plumbline/sdk/analytics';
import type { JSX } from 'preact';
import { useToday } from '../analytics/calendar.js';
import { Freshness } from '../analytics/freshness.js';
import { Picked } from '../analytics/picked.js';
import { filtersOf, partsOfPicks, picksOf } from '../analytics/picks.js';
import { PeriodFields } from '../analytics/period-fields.js';
import { periodOf } from '../analytics/period.js';
import { QueryDialog } from '../analytics/query-dialog.js';
import type { SearchParts } from '../analytics/search-parts.js';
import { useSearchParts } from '../analytics/search.js';
import { numberOf, unitsOf } from '../charts/words.js';
import { useMe } from '../session/queries.js';
import { Page } from '../shell/page.js';
import { More } from '../ui/more.js';
import { View } from '../ui/view.js';
import { ExplanationDialog } from './explanation.js';
import { UnitTable } from './unit-table.js';
import { orders, sortingOf, useUnits, type UnitPage } from './units.js';

/** How many are counted at most: the server stops there. */
const mostCounted = 10_000;

/** The work units behind a figure. Filters and order are in the address, so that a link shows the same. */
export default function WorkUnitsPage(): JSX.Element {
  const orgId = useMe().data?.org_id ?? '';
  const [search, setParts] = useSearchParts();
  const period = periodOf(search, useToday());
  const picks = picksOf(search);
  const sorting = sortingOf(search);
  const [isWhole, completedOnly] = [search.get('whole') === 'yes', search.get('completed') === 'yes'];
  const explained = search.get('why');
  const variables: WorkUnitsQueryVariables = {
    orgId,
    dateRange: period.range,
    filters: filtersOf(picks),
    useInvestment: !isWhole,
    completedOnly,
    order: orders[sorting.order],
    direction: sorting.isAscending ? 'ASC' : 'DESC',
  };
  const units = useUnits(variables);
  const isSplit = !isWhole && (picks.THEME !== undefined || picks.SUBCATEGORY !== undefined);
  return (
    <Page
      title="Work units"
      intro="Pull requests, commits, deployments, incidents and issues: what every figure is made of."
      actions={<QueryDialog query={workUnits} variables={variables} />}
    >
      <form
        class="filters"
        aria-label="Period"
        onSubmit={(event) => {
          event.preventDefault();
        }}
      >
        <PeriodFields period={period} onChange={setParts} />
        <Choice label="Only completed units" part="completed" isOn={completedOnly} onChange={setParts} />
        <Choice label="By main theme only" part="whole" isOn={isWhole} onChange={setParts} />
      </form>
      <Picked
        orgId={orgId}
        picks={picks}
        onChange={(changed) => {
          setParts(partsOfPicks(changed));
        }}
      />
      <Freshness orgId={orgId} />
      <View
        query={units}
        what="the work units"
        empty={({ pages }) =>
          pages.some(({ items }) => items.length > 0)
            ? null
            : {
                title: 'No work unit matches',
                text: 'Choose a longer period, or remove a filter.',
                action: (
                  <button
                    type="button"
                    onClick={() => {
                      setParts({ ...partsOfPicks({}), completed: null, range: '365d', start: null, end: null });
                    }}
                  >
                    Show all of the last 12 months
                  </button>
                ),
              }
        }
      >
        {({ pages }) => (
          <section class="card" aria-label="Work units">
            <p class="muted">
              {countOf(pages)}
              {isSplit && ' A unit that is split over several themes counts in figures with its share alone.'}
            </p>
            <UnitTable
              units={pages.flatMap(({ items }) => items)}
              picks={picks}
              sorting={sorting}
              onSort={(order) => {
                const isSame = order === sorting.order;
                setParts({ order, direction: isSame && !sorting.isAscending ? 'ascending' : null });
              }}
              onExplain={(id) => {
                setParts({ why: id });
              }}
            />
            <More query={units}>Show more work units</More>
          </section>
        )}
      </View>
      <ExplanationDialog
        orgId={orgId}
        id={explained}
        list={units}
        onClose={() => {
          setParts({ why: null });
        }}
      />
    </Page>
  );
}

interface ChoiceProps {
  readonly label: string;
  /** The part of the query string that holds it. */
  readonly part: string;
  readonly isOn: boolean;
  readonly onChange: (parts: SearchParts) => void;
}

function Choice({ label, part, isOn, onChange }: ChoiceProps): JSX.Element {
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => {
          onChange({ [part]: currentTarget.checked ? 'yes' : null });
        }}
      />
      {label}
    </label>
  );
}

function countOf(pages: readonly UnitPage[]): string {
  const total = pages[0]?.totalCount ?? 0;
  const shown = pages.reduce((sum, { items }) => sum + items.length, 0);
  const all = `${total >= mostCounted ? 'at least ' : ''}${unitsOf(total)}`;
  return shown < total ? `${numberOf(shown)} of ${all} are shown.` : `${all.charAt(0).toUpperCase()}${all.slice(1)}.`;
}
