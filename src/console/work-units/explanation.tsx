import type { JSX } from 'preact';
import { numberOf, wordsOf } from '../charts/words.js';
import { Dialog } from '../ui/dialog.js';
import { View } from '../ui/view.js';
import { Correction } from './correction.js';
import { Shares } from './unit-table.js';
import { useExplanation, type Explanation, type Unit } from './units.js';

export interface ExplanationDialogProps {
  readonly orgId: string;
  /** The unit; null: the dialog is closed. */
  readonly id: string | null;
  /** The shares that figures count with, where the page knows them. */
  readonly stored: Unit['shares'] | undefined;
  readonly onClose: () => void;
}

/** Why a work unit has its theme: the rules that gave points to it, and what they found. */
export function ExplanationDialog({ orgId, id, stored, onClose }: ExplanationDialogProps): JSX.Element {
  return (
    <Dialog title="Why this theme?" open={id !== null} onClose={onClose}>
      {id !== null && <Answer orgId={orgId} id={id} stored={stored} />}
      <div class="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function Answer({ orgId, id, stored }: { orgId: string; id: string; stored: Unit['shares'] | undefined }): JSX.Element {
  return (
    <View
      query={useExplanation(orgId, id)}
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
      {(found) => found !== null && <Found orgId={orgId} found={found} stored={stored} />}
    </View>
  );
}

interface FoundProps {
  readonly orgId: string;
  readonly found: NonNullable<Explanation>;
  readonly stored: Unit['shares'] | undefined;
}

function Found({ orgId, found, stored }: FoundProps): JSX.Element {
  const { title, shares, contributions, correction } = found;
  return (
    <>
      <p class="break">
        <strong>{title}</strong>
      </p>
      <Shares shares={shares} />
      {stored !== undefined && JSON.stringify(stored) !== JSON.stringify(shares) && (
        <div class="banner warn">
          <div class="stack tight">
            <p>Figures still count other shares, by older rules or records. The next sync corrects them:</p>
            <Shares shares={stored} />
          </div>
        </div>
      )}
      <Correction orgId={orgId} unit={found} />
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
