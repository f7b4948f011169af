import { unwrap } from '@plumbline/sdk';
import { deleteThreshold } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { dimensionNames, dimensions } from '../analytics/picks.js';
import { picksOfWorkFilters } from '../analytics/work-filters.js';
import { numberOf, wordsOf } from '../charts/words.js';
import { platform } from '../session/session.js';
import { count } from '../ui/count.js';
import { Moment } from '../ui/moment.js';
import { PagedRows } from '../ui/paged-rows.js';
import { useRemoval } from '../ui/removal.js';
import { RowButton } from '../ui/row-button.js';
import { NewThresholdDialog } from './new-threshold-dialog.js';
import { refreshThresholds, useThresholds, type Threshold } from './queries.js';
import { directions, measures } from './words.js';

/** The figures that are watched. Thresholds can be created and deleted. */
export function Thresholds({ orgId }: { readonly orgId: string }): JSX.Element {
  const [isCreating, setIsCreating] = useState(false);
  const deletion = useRemoval<Threshold>({
    nameOf: ({ name }) => name,
    button: 'Delete',
    text: 'The figure is no longer watched. Events that the threshold has caused are still sent.',
    done: 'is deleted',
    remove: async ({ id }) => {
      unwrap(await deleteThreshold(platform, { params: { org_id: orgId, threshold_id: id } }));
    },
    refresh: refreshThresholds,
  });
  return (
    <section class="card">
      <div class="card-head">
        <h2>Thresholds</h2>
        <button
          type="button"
          onClick={() => {
            setIsCreating(true);
          }}
        >
          New threshold
        </button>
      </div>
      <p class="muted">
        Each is evaluated after every sync run. When it is crossed, <code>analytics.threshold_crossed</code> is sent.
      </p>
      {deletion.parts}
      <PagedRows
        query={useThresholds(orgId)}
        what="the thresholds"
        label="Thresholds"
        empty={{
          title: 'There are no thresholds yet',
          text: 'A threshold notifies webhooks when a figure crosses a value.',
        }}
        more="Show older thresholds"
      >
        {(threshold) => (
          <li key={threshold.id}>
            <ThresholdSummary threshold={threshold} />
            <RowButton
              label="Delete"
              of={threshold.name}
              isDanger
              onClick={() => {
                deletion.ask(threshold);
              }}
            />
          </li>
        )}
      </PagedRows>
      <NewThresholdDialog
        orgId={orgId}
        open={isCreating}
        onClose={() => {
          setIsCreating(false);
        }}
      />
    </section>
  );
}

/** What a threshold watches, and the result of the latest evaluation. */
function ThresholdSummary({ threshold }: { readonly threshold: Threshold }): JSX.Element {
  const { name, definition, is_crossed: isCrossed, last_value: last, evaluated_at: evaluated } = threshold;
  const { measure, direction, value, window_days: days, filters } = definition;
  const picks = picksOfWorkFilters(filters);
  const filtered = dimensionNames.flatMap((dimension) =>
    (picks[dimension] ?? []).map((each) => `${dimensions[dimension].label}: ${wordsOf(dimension, each)}`),
  );
  return (
    <div class="stack tight grow">
      <span class="break">
        <strong>{name}</strong>{' '}
        {isCrossed ? <span class="tag warn">! crossed</span> : <span class="tag">– not crossed</span>}
      </span>
      <span class="break">
        {measures[measure]} {directions[direction]} {numberOf(value)} in {count(days, 'day', 'days')}
      </span>
      {filtered.length > 0 && <span class="small break">{filtered.join(' · ')}</span>}
      <span class="small muted break">
        {evaluated === null ? (
          'not evaluated yet'
        ) : (
          <>
            {last === null ? 'nothing to measure' : numberOf(last)} on <Moment at={evaluated} />
          </>
        )}
      </span>
    </div>
  );
}
