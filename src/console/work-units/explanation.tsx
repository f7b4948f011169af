import type { UseInfiniteQueryResult } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { numberOf, wordsOf } from '../charts/words.js';
import { Dialog } from '../ui/dialog.js';
import { View } from '../ui/view.js';
import { Correction } from './correction.js';
import { Shares } from './unit-table.js';
import { useExplanation, type Explanation, type UnitPage } from './units.js';

export interface ExplanationDialogProps {
  readonly orgId: string;
  /** The unit; null: the dialog is closed. */
  readonly id: string | null;
  /** The list of the page, which has the shares that figures count with. */
  readonly list: UnitList;
  readonly onClose: () => void;
}

type UnitList = Pick<
  UseInfiniteQueryResult<{ readonly pages: readonly UnitPage[] }>,
  'data' | 'dataUpdatedAt' | 'isFetching' | 'refetch'
>;

/** Why a work unit has its theme: the rules that gave points to it, and what they found. */
export function ExplanationDialog({ orgId, id, list, onClose }: ExplanationDialogProps): JSX.Element {
  return (
    <Dialog title="Why this theme?" open={id !== null} onClose={onClose}>
      {id !== null && <Answer orgId={orgId} id={id} list={list} />}
      <div class="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function Answer({ orgId, id, list }: { orgId: string; id: string; list: UnitList }): JSX.Element {
  const explanation = useExplanation(orgId, id);
  return (
    <View
      query={explanation}
      what="the explanation"
      empty={(found) =>
        found === null
          ? {
              title: 'The records of this unit are gone',
              text: 'The next sync removes the unit, or stores its records again.',
            }
          : null
      }
    >
      {(found) =>
        found !== null && <Found orgId={orgId} found={found} foundAt={explanation.dataUpdatedAt} list={list} />
      }
    </View>
  );
}

interface FoundProps {
  readonly orgId: string;
  readonly found: NonNullable<Explanation>;
  /** When the explanation was fetched, in milliseconds. */
  readonly foundAt: number;
  readonly list: UnitList;
}

function Found({ orgId, found, foundAt, list }: FoundProps): JSX.Element {
  const { title, shares, contributions, correction } = found;
  const stored = list.data?.pages.flatMap(({ items }) => items).find(({ id }) => id === found.id)?.shares;
  const differs = stored !== undefined && JSON.stringify(stored) !== JSON.stringify(shares);
  // A list that is older than the explanation proves nothing, for example after a correction.
  const isOlder = list.dataUpdatedAt < foundAt;
  const { refetch } = list;
  useEffect(() => {
    if (differs && isOlder) void refetch({ cancelRefetch: false });
  }, [differs, isOlder, refetch]);
  return (
    <>
      <p class="break">
        <strong>{title}</strong>
      </p>
      <Shares shares={shares} />
      {differs && !isOlder && !list.isFetching && (
        <div class="banner warn">
          <div class="stack tight">
            <p>Figures still count other shares, by older rules or records. The next sync corrects them:</p>
            <Shares shares={stored} />
          </div>
        </div>
      )}
      <Correction key={found.id} orgId={orgId} unit={found} />
      {contributions.length === 0 ? (
        <p>No rule found anything in this unit{correction === null && ', so it is unclassified'}.</p>
      ) : (
        <>
          <p class="muted">
            Each rule that found something gave points.{' '}
            {correction === null ? 'The shares are the points of the subcategories.' : 'The correction counts instead.'}
          </p>
          <div class="scroll" tabIndex={0} role="region" aria-label="Rules that gave points">
            <table>
              <thead>
                <tr>
                  <th scope="col">Rule</th>
                  <th scope="col">Found</th>
                  <th scope="col">Points to</th>
                  <th scope="col" class="number">
                    Points
                  </th>
                </tr>
              </thead>
              <tbody>
                {contributions.map(({ rule, signal, match, subcategory, points }) => (
                  <tr key={`${rule} ${signal} ${match} ${subcategory}`}>
                    <td>
                      <code>{rule}</code>
                    </td>
                    <td class="found">
                      {match} <span class="muted">in {signal.replaceAll('_', ' ')}</span>
                    </td>
                    <td>{wordsOf('SUBCATEGORY', subcategory)}</td>
                    <td class="number">{numberOf(points)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </>
  );
}
