/** The units of requests. */
import { numberOf } from '../row-values.js';
import { inParts, type Where } from './database/records.js';
import { closingsOfRequest, REQUEST_KINDS } from './closings.js';
import { replaceKeys } from './issue-keys.js';
import { inSlices } from '@plumbline/contract/system/slices';
import { requestUnit, unitId } from './derive.js';
import { affectedRequests, type Affected, PRODUCTION_COLUMNS } from './production-deployments.js';
import { MERGE_COLUMNS, mergedAs } from './read.js';
import { whereOf, derivesAllRequests, derivedSteps, replaceClosings, type Run } from './run.js';

/** Derives the units of requests that changed, or whose commits, reviews or deployments did. */
export async function deriveRequests(run: Run): Promise<void> {
  const { changed, reader, affected } = run;
  if (changed.requests !== 'none' && changed.requests !== 'all') {
    const where = whereOf(changed.requests);
    for (const table of ['git_pull_requests', 'git_pull_request_reviews'] as const) {
      const columns = table === 'git_pull_requests' ? ['number'] : ['number', 'review_id'];
      for await (const rows of reader.rows(table, columns, where))
        for (const row of rows) affected.add(numberOf(row, 'number'));
    }
  }
  if (!derivesAllRequests(run)) await findDeployedRequests(run);
  if (derivesAllRequests(run)) {
    await writeRequests(run, { kind: 'all' });
    return;
  }
  const changes = [...affected];
  for (let start = 0; start < changes.length; start += REQUESTS_AT_ONCE)
    for (const number of await reader.sharingWith(changes.slice(start, start + REQUESTS_AT_ONCE))) affected.add(number);
  const numbers = [...affected].sort((a, b) => a - b);
  for (const where of inParts('number', numbers)) await writeRequests(run, where);
}

const REQUESTS_AT_ONCE = 1000;

/** Remembers the requests that changed deployments may contain. */
async function findDeployedRequests({ changed, reader, affected }: Run): Promise<void> {
  if (changed.deployments === 'none') return;
  const deployments = await reader.deployments();
  const changes: Affected[] = [];
  for await (const rows of reader.rows('deployments', PRODUCTION_COLUMNS, whereOf(changed.deployments)))
    changes.push(...rows.map((row) => deployments.affectedBy(row)));
  if (changes.length === 0) return;
  const isAffected = affectedRequests(changes);
  for await (const rows of reader.rows('git_pull_requests', MERGE_COLUMNS, { kind: 'all' })) {
    for (const row of rows) {
      const merged = mergedAs(row);
      if (merged !== null && isAffected(merged)) affected.add(numberOf(row, 'number'));
    }
  }
}

async function writeRequests(run: Run, where: Where): Promise<void> {
  for await (const rows of run.reader.requests(where)) {
    run.signal.throwIfAborted();
    const requests = await run.reader.requestFacts(rows);
    const closings = requests.flatMap(({ row }) => closingsOfRequest(row, run.context));
    const numbers = rows.map((row) => numberOf(row, 'number'));
    await replaceClosings(run, closings, ['closer', numbers.map(String), REQUEST_KINDS]);
    await replaceKeys(
      run,
      requests.map(({ row }) => row),
    );
    const counted = new Set(requests.map(({ row }) => numberOf(row, 'number')));
    const repeated = run.isFirst ? [] : numbers.filter((number) => !counted.has(number));
    await run.writer.write(
      await inSlices(derivedSteps(requests, (request) => requestUnit(run.context, request))),
      repeated.map((number) => unitId(run.context.repoId, 'pull_request', number)),
    );
  }
}
