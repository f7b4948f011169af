import type { ComponentChildren, JSX } from 'preact';
import type { Picks } from '../analytics/picks.js';
import { dayOf, durationOf, numberOf, percentOf, wordsOf } from '../charts/words.js';
import type { Order, Sorting, Unit } from './units.js';

export interface UnitTableProps {
  readonly units: readonly Unit[];
  /** What the units are picked by: shares of these themes come first. */
  readonly picks: Picks;
  readonly sorting: Sorting;
  readonly onSort: (order: Order) => void;
  /** Called with the id of the unit whose classification the user wants explained. */
  readonly onExplain: (id: string) => void;
}

/** The explanation of a unit shows them all. */
const mostShares = 2;

/** Work units with links to their sources. */
export function UnitTable({ units, picks, sorting, onSort, onExplain }: UnitTableProps): JSX.Element {
  const sort = { sorting, onSort };
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="List of work units">
      <table class="units stacked">
        <thead>
          <tr>
            <th scope="col">Work unit</th>
            <th scope="col">Theme</th>
            <th scope="col">Team</th>
            <th scope="col">Author</th>
            <SortHead order="day" {...sort}>
              Day
            </SortHead>
            <SortHead order="cycle-time" isNumber {...sort}>
              Cycle time
            </SortHead>
            <SortHead order="lines" isNumber {...sort}>
              Lines
            </SortHead>
          </tr>
        </thead>
        <tbody>
          {units.map((unit) => (
            <tr key={unit.id}>
              <td class="unit-name">
                <Title unit={unit} />
                <span class="block small muted break">
                  {wordsOf('WORK_TYPE', unit.workType)} · {unit.repo}
                </span>
                {unit.epic !== '' && (
                  <span class="block small muted break">
                    {unit.epic === 'unplanned' ? 'Unplanned' : `Epic: ${unit.epic}`}
                  </span>
                )}
              </td>
              <td class="unit-theme" data-label="Theme">
                <Shares shares={pickedFirst(unit.shares, picks).slice(0, mostShares)} />
                {unit.shares.length > mostShares && (
                  <span class="block small muted">and {unit.shares.length - mostShares} more</span>
                )}
                <button
                  type="button"
                  class="link small"
                  aria-label={`Why this theme: ${titleOf(unit)}`}
                  onClick={() => {
                    onExplain(unit.id);
                  }}
                >
                  Why this theme?
                </button>
              </td>
              <td data-label="Team">{wordsOf('TEAM', unit.team)}</td>
              <td data-label="Author">
                {wordsOf('AUTHOR', unit.author)}
                {unit.coAuthors.length > 0 && (
                  <span class="block small muted break">with {unit.coAuthors.join(', ')}</span>
                )}
                {unit.assistant !== '' && unit.assistant !== 'unassisted' && (
                  <span class="block small muted">Assistant: {unit.assistant}</span>
                )}
              </td>
              <td data-label="Day">
                <time dateTime={unit.day}>{dayOf(unit.day)}</time>
                {unit.completedAt === null && <span class="block small muted">not complete</span>}
              </td>
              <td class="number" data-label="Cycle time">
                {unit.cycleTimeHours === null ? '–' : durationOf(unit.cycleTimeHours)}
              </td>
              <td class="number" data-label="Lines">
                {unit.churnLoc === null ? '–' : numberOf(unit.churnLoc)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The title, which leads to the page of the unit at its code host where that is known. */
function Title({ unit }: { unit: Unit }): JSX.Element {
  // The address comes from records of strangers: it must not be a script.
  if (unit.url === null || !/^https?:\/\//.test(unit.url)) return <span class="break">{titleOf(unit)}</span>;
  return (
    <a class="break" href={unit.url} target="_blank" rel="noreferrer">
      {titleOf(unit)}
      <span aria-hidden="true"> ↗</span>
      <span class="visually-hidden"> (opens the code host in a new tab)</span>
    </a>
  );
}

function titleOf({ title, id }: Unit): string {
  return title ?? id;
}

function pickedFirst(shares: Unit['shares'], { THEME = [], SUBCATEGORY = [] }: Picks): Unit['shares'] {
  const isPicked = ({ subcategory }: Unit['shares'][number]): boolean =>
    SUBCATEGORY.includes(subcategory) || THEME.includes(subcategory.split('.')[0] ?? '');
  return [...shares.filter(isPicked), ...shares.filter((each) => !isPicked(each))];
}

/** How a unit is split over subcategories. */
export function Shares({ shares }: Pick<Unit, 'shares'>): JSX.Element {
  return (
    <ul class="plain">
      {shares.map(({ subcategory, share }) => (
        <li key={subcategory}>
          <span class="muted">{wordsOf('THEME', subcategory.split('.')[0] ?? '')}:</span>{' '}
          {wordsOf('SUBCATEGORY', subcategory)}
          {share < 1 && <span class="muted"> {percentOf(share)}</span>}
        </li>
      ))}
    </ul>
  );
}

interface SortHeadProps extends Pick<UnitTableProps, 'sorting' | 'onSort'> {
  readonly order: Order;
  readonly isNumber?: boolean;
  readonly children: ComponentChildren;
}

/** A heading that sorts the list; again, it turns the order round. */
function SortHead({ order, sorting, onSort, isNumber = false, children }: SortHeadProps): JSX.Element {
  const isSorted = sorting.order === order;
  return (
    <th
      scope="col"
      class={isNumber ? 'number' : undefined}
      aria-sort={isSorted ? (sorting.isAscending ? 'ascending' : 'descending') : undefined}
    >
      <button
        type="button"
        class="sort"
        onClick={() => {
          onSort(order);
        }}
      >
        {children} <span aria-hidden="true">{isSorted ? (sorting.isAscending ? '▲' : '▼') : '↕'}</span>
      </button>
    </th>
  );
}
