/** Calls an operation through the SDK, and prints its reply. */
import type { OperationCommand, OperationFlag } from '@plumbline/contract/contract-types';
import { connect } from '../login/connection.js';
import { EXIT, reportingCalls } from '../login/failures.js';
import { identityOf } from '../login/identity.js';
import type { Json } from '../query-rows.js';
import {
  followSyncRun,
  operations,
  paginate,
  PlumblineError,
  unwrap,
  type AnyResult,
  type Failure,
  type PlatformClient,
  type Schemas,
  type Success,
} from '../sdk.js';
import { UsageError } from '../usage-error.js';
import { printItems, printReply } from './print-reply.js';
import { readBody, requestOf, valueOfFlag, type FlagValues, type OperationRequest } from './request.js';

/** The options of every operation; its flags are beside them. */
export interface ApiOptions extends FlagValues {
  readonly server?: string;
  readonly body?: string;
  readonly json?: boolean;
  readonly all?: boolean;
  readonly limit?: string;
  readonly watch?: boolean;
}

/** Stands for the organization of the caller until it is known. */
const ANY_ORGANIZATION = '00000000-0000-4000-8000-000000000000';

type Call = (client: PlatformClient, request: OperationRequest) => Promise<AnyResult>;

/** Runs `plumbline api <operation>`. */
export function runOperation(command: OperationCommand, options: ApiOptions): Promise<void> {
  // A reader that stops, as `head` does, wants no further pages.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  return reportingCalls(`api ${command.name}`, async () => {
    const limit = limitOf(options.limit);
    checkStandardInput(command, options);
    const { client } = await connect(options.server);
    const values = await flagValues(command, options);
    const given = options.body === undefined ? undefined : await readBody(command, options.body);
    // Checks the rest before the server is asked for the organization.
    const organization = command.flags.find(({ place, property }) => place === 'params' && property === 'org_id');
    const isOwn = organization !== undefined && !values.has(organization);
    if (isOwn) values.set(organization, ANY_ORGANIZATION);
    let request = requestOf(command, values, given);
    if (isOwn) request = { ...request, params: { ...request.params, org_id: await ownOrganization(client) } };
    try {
      if (options.all === true || limit !== null)
        await printAll(command, client, request, limit, options.json === true);
      else await printOne(command, client, request, options);
    } catch (error) {
      if (options.json === true && error instanceof PlumblineError) console.log(JSON.stringify(error.problem));
      throw error;
    }
  });
}

async function printOne(
  command: OperationCommand,
  client: PlatformClient,
  request: OperationRequest,
  { json = false, watch = false }: ApiOptions,
): Promise<void> {
  const data = unwrap(await callOf(command)(client, request));
  if (command.reply === 'lines') {
    for await (const line of data as AsyncIterable<Json>) printItems([line], true); // the SDK decodes such replies so
    return;
  }
  if (!watch) {
    printReply(data as Json | undefined, json); // parsed from JSON, or text
    return;
  }
  const run = data as Schemas['SyncRun']; // --watch is an option of operations with this reply only
  await watchRun(client, run, json);
}

/** Follows a run on standard error. Prints it when it has ended. */
async function watchRun(client: PlatformClient, run: Schemas['SyncRun'], json: boolean): Promise<void> {
  let last = run;
  for await (const next of followSyncRun(client, { sync_config_id: run.sync_config_id, run_id: run.id })) {
    last = next;
    const { repositories_total: total, repositories_done: done, records } = next.progress;
    console.error(`${next.status}${total === null ? '' : `, ${done} of ${total} repositories`}, ${records} records`);
  }
  printReply(JSON.parse(JSON.stringify(last)) as Json, json); // JSON.stringify writes JSON only
  if (last.status !== 'complete') process.exitCode = EXIT.runNotComplete;
}

async function printAll(
  command: OperationCommand,
  client: PlatformClient,
  request: OperationRequest,
  limit: number | null,
  json: boolean,
): Promise<void> {
  const page = Math.min(limit ?? Number.POSITIVE_INFINITY, command.largestPage ?? 1);
  const call = callOf(command);
  // The replies of a list have `items` and `next_cursor`: the generator has checked that.
  const list = (each: PlatformClient, part: object): Promise<Success<number, Page> | Failure> =>
    call(each, part) as Promise<Success<number, Page> | Failure>;
  const all = paginate(list, client, { ...request, query: { ...request.query, limit: page } });
  if (json && limit === null) {
    for await (const { items } of all.pages()) printItems(items, true);
  } else printItems(await all.toArray({ limit: limit ?? Number.MAX_SAFE_INTEGER }), json);
}

interface Page {
  readonly items: readonly Json[];
  readonly next_cursor: string | null;
}

function callOf({ operationId }: OperationCommand): Call {
  const found: unknown = Reflect.get(operations, operationId);
  if (typeof found !== 'function') throw new Error(`The SDK has no operation ${operationId}`);
  return found as Call; // the functions of the SDK are generated from the same contract
}

function limitOf(limit: string | undefined): number | null {
  if (limit === undefined) return null;
  if (!/^[1-9]\d{0,8}$/.test(limit)) throw new UsageError('--limit must be a whole number of at least 1');
  return Number(limit);
}

/** @throws UsageError when two values are to be read from standard input: the second one would be empty */
function checkStandardInput({ flags }: OperationCommand, options: ApiOptions): void {
  const names = [
    ...flags
      .filter(({ name, isSecret }) => isSecret && options[camelCase(name)] === '-')
      .map(({ name }) => `--${name}`),
    ...(options.body === '-' ? ['--body'] : []),
  ];
  if (names.length > 1) {
    throw new UsageError(`only one of ${names.join(' and ')} can be - (standard input); name files for the others`);
  }
}

async function flagValues({ flags }: OperationCommand, options: ApiOptions): Promise<Map<OperationFlag, unknown>> {
  const values = new Map<OperationFlag, unknown>();
  for (const flag of flags) {
    const given = options[camelCase(flag.name)];
    if (given !== undefined) values.set(flag, await valueOfFlag(flag, given));
  }
  return values;
}

async function ownOrganization(client: PlatformClient): Promise<string> {
  const { org_id: orgId } = await identityOf(client);
  if (orgId === null) throw new UsageError('--org-id is required: this account is in no organization');
  return orgId;
}

/** Names the value of an option the way commander does. */
function camelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_match, letter: string) => letter.toUpperCase());
}
