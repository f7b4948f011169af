import { hasSyncRunEnded } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { View } from '../ui/view.js';
import { useCancel, useRun, type SyncRun } from './runs.js';
import { count } from '../ui/count.js';
import { statuses, type RunStatus } from './words.js';
import { Failed } from '../ui/failed.js';

/** The state of a run. */
export function StatusTag({ status }: { status: RunStatus }): JSX.Element {
  const { text, mark } = statuses[status];
  return <span class={`tag ${mark}`}>{text}</span>;
}

/** What a run has read so far. */
export function progressText({ progress }: Pick<SyncRun, 'progress'>): string {
  const { repositories_total: total, repositories_done: done, repositories_failed: failed, records } = progress;
  const parts = [
    total === null ? 'repositories are being counted' : `${done} of ${count(total, 'repository', 'repositories')}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    count(records, 'record', 'records'),
  ];
  return parts.join(' · ');
}

/** What to know about a run although nothing failed; many notes are folded away. */
export function RunNotes({ notes }: Pick<SyncRun, 'notes'>): JSX.Element | null {
  if (notes.length === 0) return null;
  return (
    <details class="small" open={notes.length <= 3}>
      <summary>{count(notes.length, 'note', 'notes')}</summary>
      <ul class="plain">
        {notes.map((note) => (
          <li class="break" key={note}>
            {note}
          </li>
        ))}
      </ul>
    </details>
  );
}

export interface ActiveRunProps {
  readonly configId: string;
  readonly runId: string;
  readonly mayCancel: boolean;
}

/** A run that is pending or running: how far it has come, and a button that cancels it. */
export function ActiveRun({ configId, runId, mayCancel }: ActiveRunProps): JSX.Element {
  const params = { sync_config_id: configId, run_id: runId };
  const cancel = useCancel();
  return (
    <div class="run">
      <View query={useRun(params)} what="the run">
        {(run) => (
          <>
            <div class="run-head">
              <span role="status">
                <StatusTag status={run.status} />
              </span>
              <span class="small muted">
                {run.status === 'pending' && run.started_at === null ? 'Waits for a worker' : progressText(run)}
              </span>
            </div>
            {run.progress.repositories_total !== null && (
              <progress
                aria-label="Repositories read"
                max={Math.max(1, run.progress.repositories_total)}
                value={run.progress.repositories_done + run.progress.repositories_failed}
              />
            )}
            {run.status === 'pending' && run.error !== null && (
              <p class="small">The attempt before failed: {run.error} It is tried again.</p>
            )}
            <RunNotes notes={run.notes} />
            {mayCancel && !hasSyncRunEnded(run) && (
              <div class="actions">
                <button
                  type="button"
                  aria-disabled={cancel.isPending}
                  onClick={() => {
                    if (!cancel.isPending) cancel.mutate(params);
                  }}
                >
                  Cancel the run
                </button>
              </div>
            )}
          </>
        )}
      </View>
      <Failed mutation={cancel} />
    </div>
  );
}
