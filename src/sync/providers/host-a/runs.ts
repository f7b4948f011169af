/** `sync cicd` from host_a: workflow runs. */
import type { Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import { mostEvents } from '../limits.js';
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
import { restPages } from './rest-pages.js';

export function runListing(repository: HostARepository, window: TimeWindow): Listing<JsonObject> {
  const { client, owner, repo } = repository;
  return {
    most: mostEvents(window),
    window,
    fetch: restPages(repository, async (page) => {
      const { data, hasNext } = await client.rest('GET /repos/{owner}/{repo}/actions/runs', { owner, repo, ...page });
      return { items: readList(readObject(data, 'runs')['workflow_runs'], 'workflow_runs'), hasNext };
    }),
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
