/** `sync cicd` from host_a: workflow runs. */
import type { Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import { MOST_EVENTS } from '../limits.js';
import type { Listing } from '../newest-first.js';
import {
  readId,
  readInstant,
  readInstantOrNull,
  readList,
  readObject,
  readTextOrNull,
  type JsonObject,
} from '../read.js';
import type { HostARepository } from './repository.js';
import { pageNumber } from '../page-number.js';

export function runListing({ client, owner, repo }: HostARepository, window: TimeWindow): Listing<JsonObject> {
  return {
    most: MOST_EVENTS,
    window,
    fetch: async (cursor) => {
      const page = pageNumber(cursor);
      const { data, hasNext } = await client.rest('GET /repos/{owner}/{repo}/actions/runs', {
        owner,
        repo,
        per_page: 100,
        page,
      });
      const runs = readList(readObject(data, 'runs')['workflow_runs'], 'workflow_runs');
      return { items: runs.map((run) => readObject(run, 'run')), next: hasNext ? String(page + 1) : null };
    },
    sortedBy: (run) => readInstant(run['created_at'], 'created_at'),
    isUnfinished: (run) => run['status'] !== 'completed',
    records: (runs) => ({ ci_pipeline_runs: runs.map(runRow) }),
  };
}

function runRow(run: JsonObject): Row<'ci_pipeline_runs'> {
  const created = readInstant(run['created_at'], 'created_at');
  const isComplete = run['status'] === 'completed';
  return {
    run_id: readId(run['id'], 'id'),
    status: readTextOrNull(run['conclusion'], 'conclusion') ?? readTextOrNull(run['status'], 'status'),
    queued_at: created,
    started_at: readInstantOrNull(run['run_started_at'], 'run_started_at') ?? created,
    // The API has no completion time. A run does not change after its completion, so the last update is used.
    finished_at: isComplete ? readInstantOrNull(run['updated_at'], 'updated_at') : null,
  };
}
