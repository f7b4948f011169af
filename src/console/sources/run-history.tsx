import { unwrap } from '@plumbline/sdk';
import { hasSyncRunEnded, listSyncRuns } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { platform } from '../session/session.js';
import { Moment } from '../ui/moment.js';
import { More } from '../ui/more.js';
import { usePaged } from '../ui/paged.js';
import { View } from '../ui/view.js';
import { progressText, RunNotes, StatusTag } from './run-state.js';
import type { SyncRun } from './runs.js';
import { duration } from './words.js';

const pageSize = 20;

/** The runs of a sync that have ended, the newest first. */
export function RunHistory({ configId }: { configId: string }): JSX.Element {
  const runs = usePaged({
    queryKey: ['sync-runs', configId],
    pageSize,
    load: async (query, signal) =>
      unwrap(await listSyncRuns(platform, { signal, params: { sync_config_id: configId }, query })),
  });
  return (
    <section class="card">
      <h2>Runs</h2>
      <View
        query={runs}
        what="the runs"
        empty={({ pages }) =>
          pages.some(({ items }) => items.some(hasSyncRunEnded))
            ? null
            : { title: 'No run has ended yet', text: 'Each run is listed here with what it read.' }
        }
      >
        {({ pages }) => (
          <>
            <RunList items={pages.flatMap(({ items }) => items).filter(hasSyncRunEnded)} />
            <More query={runs}>Show older runs</More>
          </>
        )}
      </View>
    </section>
  );
}

function RunList({ items }: { items: readonly SyncRun[] }): JSX.Element {
  return (
    <ul class="rows" aria-label="Runs">
      {items.map((run) => (
        <li key={run.id}>
          <div class="stack tight grow">
            <span>
              <StatusTag status={run.status} /> {progressText(run)}
            </span>
            {run.error !== null && <span class="small break">{run.error}</span>}
            <RunNotes notes={run.notes} />
          </div>
          <span class="small muted">
            <Moment at={run.created_at} />
            {run.started_at !== null && run.finished_at !== null && (
              <> · took {duration(run.started_at, run.finished_at)}</>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
