import { setTimeout } from 'node:timers/promises';
import { connect } from '../login/connection.js';
import { EXIT, reportingCalls } from '../login/failures.js';
import { identityOf } from '../login/identity.js';
import { parseJson, readInput } from '../read-input.js';
import { getPushProgress, pushRecords, unwrap, type PlatformClient, type Schemas } from '../sdk.js';
import { withoutCredentials } from '../../sync/identity.js';
import { UsageError } from '../usage-error.js';
import { readClone } from './clone.js';

export interface PushOptions {
  readonly server?: string;
  readonly wait?: true;
}

export interface DeploymentOptions extends PushOptions {
  readonly id: string;
  readonly environment?: string;
  readonly status: string;
  readonly repository?: string;
  readonly commit?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly ref?: string;
  readonly author?: string;
}

type Records = Schemas['PushRecordsRequest'];

/** `plumbline push deployment`. */
export function pushDeployment(options: DeploymentOptions): Promise<void> {
  return reportingCalls('push deployment', async () => {
    const { id, environment = null, ref = null, author = null } = options;
    const status = statusOf(options.status);
    const clone = options.repository === undefined ? await readClone() : undefined;
    const repository = options.repository ?? (clone?.remote && withoutCredentials(clone.remote));
    if (repository === undefined) {
      throw new UsageError('--repository is required: this folder is not a clone with a remote "origin"');
    }
    const hash = options.commit ?? clone?.commit;
    const isCheckedOut = hash === clone?.commit; // of another commit, the date is not known
    const now = new Date().toISOString();
    const finished = options.finishedAt ?? (status === 'in_progress' ? undefined : now);
    const finishedAt = finished === undefined ? null : timeOf('--finished-at', finished);
    const startedAt = options.startedAt === undefined ? null : timeOf('--started-at', options.startedAt);
    const deployment = {
      ...{ repository, id, status, environment, ref, author },
      started_at: startedAt ?? finishedAt ?? now,
      finished_at: finishedAt,
      commit: hash === undefined ? null : { hash, committed_at: isCheckedOut ? (clone?.committedAt ?? null) : null },
    };
    await push([{ deployments: [deployment] }], options);
  });
}

/** `plumbline push records`. */
export function pushFile(file: string, options: PushOptions): Promise<void> {
  return reportingCalls('push records', async () => {
    await push(parts(await readRecords(file)), options);
  });
}

/** The server checks the records themselves, and says what is wrong with each. */
async function readRecords(file: string): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const value = parseJson(await readInput(file, '<file>'), '<file>');
  const lists = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  const kinds = lists.filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  if (kinds.length === 0 || kinds.length < lists.length) {
    throw new UsageError('<file> must be an object with lists, such as {"deployments": [...]}');
  }
  return Object.fromEntries(kinds);
}

/** The number of records of a kind in one request. */
const mostRecords = 1000;
/** The bytes of the records in one request. The server takes 4 MiB, names and marks included. */
const mostBytes = 3 * 1024 * 1024;

/** Splits the records into requests. A record that is too large for one is sent alone, and refused by the server. */
function parts(kinds: Readonly<Record<string, readonly unknown[]>>): Records[] {
  return Object.entries(kinds).flatMap(([kind, records]) => {
    const requests: unknown[][] = [[]];
    let bytes = 0;
    for (const record of records) {
      const size = Buffer.byteLength(JSON.stringify(record));
      const last = requests.at(-1);
      if (last === undefined || last.length === mostRecords || (last.length > 0 && bytes + size > mostBytes)) {
        requests.push([record]);
        bytes = size;
      } else {
        last.push(record);
        bytes += size;
      }
    }
    return requests.map((request) => ({ [kind]: request }));
  });
}

async function push(requests: readonly Records[], { server, wait }: PushOptions): Promise<void> {
  const { client, server: address, credential } = await connect(server);
  if (credential === 'none') {
    throw new UsageError(
      `set PLUMBLINE_TOKEN to a service token with records:write, or log in with plumbline login --server ${address}`,
    );
  }
  const { org_id: orgId } = await identityOf(client);
  if (orgId === null) throw new UsageError('this account is in no organization');
  let records = 0;
  for (const body of requests) {
    unwrap(await pushRecords(client, { params: { org_id: orgId }, body }));
    records += Object.values(body).reduce((sum, list) => sum + list.length, 0);
  }
  const pushed = `${records} ${records === 1 ? 'record' : 'records'}`;
  if (wait !== true) console.log(`${pushed} pushed`);
  else if (await isStored(client, orgId)) console.log(`${pushed} pushed and stored`);
  else {
    console.log(`${pushed} pushed, which still wait to be stored`);
    process.exitCode = EXIT.runNotComplete;
  }
}

const pollMs = 1000;
const waitMs = 5 * 60_000;

/**
 * Waits until nothing waits any more. A failed attempt is repeated, so that a failure counts at the end only.
 *
 * @throws Error with the reason, when records could not be stored
 */
async function isStored(client: PlatformClient, orgId: string): Promise<boolean> {
  const end = Date.now() + waitMs;
  for (;;) {
    const { state, error } = unwrap(await getPushProgress(client, { params: { org_id: orgId } }));
    if (state === 'done') return true;
    if (Date.now() >= end) {
      if (state === 'failing') throw new Error(`The records are kept, and cannot be stored yet: ${error ?? ''}`);
      return false;
    }
    await setTimeout(pollMs);
  }
}

function statusOf(status: string): Schemas['PushedDeployment']['status'] {
  const statuses = ['success', 'failure', 'canceled', 'in_progress'] as const;
  const known = statuses.find((each) => each === status);
  if (known === undefined) throw new UsageError(`--status must be one of ${statuses.join(', ')}`);
  return known;
}

/** @returns the time as the contract demands it, in UTC */
function timeOf(flag: string, time: string): string {
  const at = Date.parse(time);
  if (Number.isNaN(at)) throw new UsageError(`${flag} must be a time, such as 2026-03-02T09:00:00Z`);
  return new Date(at).toISOString();
}
