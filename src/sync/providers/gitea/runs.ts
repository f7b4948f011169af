/** `sync cicd` from Gitea: the runs of Actions. */
import type { Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import { mostEvents } from '../limits.js';
import type { Listing } from '../newest-first.js';
import { pageNumber } from '../page-number.js';
import { readId, readInstantOrNull, readTextOrNull, type JsonObject } from '../read.js';
import type { GiteaRepository } from './repository.js';

export function runListing(
  { client, path }: GiteaRepository,
  window: TimeWindow,
  now: () => number,
): Listing<JsonObject> {
  return {
    most: mostEvents(window),
    window,
    fetch: async (cursor) => {
      const page = pageNumber(cursor);
      const options = { property: 'workflow_runs', query: { exclude_pull_requests: 'true' } };
      const { items, hasNext } = await client.list(`${path}/actions/runs`, page, options);
      return { items, next: hasNext ? String(page + 1) : null };
    },
    // The list is sorted by number, and has no time of creation. A run that has not started will start later.
    sortedBy: (run) => instantIn(run, 'started_at') ?? now(),
    isUnfinished: (run) => run['status'] !== 'completed',
    records: (runs) => ({ ci_pipeline_runs: runs.map((run) => runRow(run, now)) }),
  };
}

function runRow(run: JsonObject, now: () => number): Row<'ci_pipeline_runs'> {
  const started = instantIn(run, 'started_at');
  return {
    run_id: readId(run['id'], 'id'),
    status: readTextOrNull(run['conclusion'], 'conclusion') || readTextOrNull(run['status'], 'status'),
    queued_at: null,
    started_at: started ?? now(),
    finished_at: run['status'] === 'completed' ? instantIn(run, 'completed_at') : null,
  };
}

/** The server writes the beginning of 1970, or of the calendar, for a time that has not come. */
function instantIn(run: JsonObject, property: string): number | null {
  const at = readInstantOrNull(run[property], property);
  return at === null || at <= 0 ? null : at;
}
