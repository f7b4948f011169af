/** Stores the state of the mock in a file, so that commands see each other's changes. */
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { withFileLock } from '@plumbline/contract/system/file-lock';
import { RuntimeError } from '../errors.js';
import { objectOf, parseJson } from '../json.js';
import type { SecretRecord } from '../records.js';
import { replaceFile } from '@plumbline/contract/system/replace-file';
import { runProgram, service } from './process.js';
import { endRun } from './run.js';
import { change, type MockContainer, type MockFile, type MockState } from './mock-state.js';
import { errorCode } from '@plumbline/contract/system/error-code';

/** Runs an operation on the current state and saves the changes. */
export type Keeper = <T>(operation: () => Promise<T>) => Promise<T>;

/** The interval at which a waiting command, such as `logs --follow`, checks for changes by other commands. */
const LOOK_MS = 200;

/** A container without the processes of this program. Files copied into it are not kept. */
type KeptContainer = Omit<MockContainer, 'process' | 'change' | 'archives' | 'files' | 'addresses' | 'log'> & {
  readonly addresses: readonly (readonly [string, string])[];
  readonly log: MockContainer['log'];
};

interface Kept {
  readonly containers: readonly KeptContainer[];
  readonly images: readonly (readonly [string, NonNullable<ReturnType<MockState['images']['get']>>])[];
  readonly volumes: readonly NonNullable<ReturnType<MockState['volumes']['get']>>[];
  readonly networks: readonly NonNullable<ReturnType<MockState['networks']['get']>>[];
  /** Values in Base64. */
  readonly secrets: readonly (SecretRecord & { readonly value: string })[];
}

/**
 * Operations of one process run one after another. Processes exclude each other by a lock beside the file.
 *
 * @param file absolute; its directory is created if it is missing
 * @throws RuntimeError.persistenceFailure, naming the file, when it is damaged or cannot be read or written
 */
export function keepIn(file: string, mockState: MockState): Keeper {
  let known: string | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const load = async (): Promise<void> => {
    const text = await readText(file);
    if (text === known) return;
    adopt(mockState, text === undefined ? EMPTY : parse(text, file));
    known = text;
  };
  const save = async (): Promise<void> => {
    const text = write(snapshot(mockState));
    if (text === known) return;
    await replaceFile(file, text);
    known = text;
  };
  const inOrder = <T>(act: () => Promise<T>): Promise<T> => {
    const result = last.then(act);
    last = result.catch(() => undefined);
    return result;
  };
  setInterval(() => {
    inOrder(load).catch(() => undefined); // The next operation reports it.
  }, LOOK_MS).unref();

  return (operation) =>
    inOrder(async () => {
      await failing(file, () => mkdir(dirname(file), { recursive: true, mode: 0o700 }));
      return failing(file, () =>
        withFileLock(file, async () => {
          await load();
          try {
            return await operation();
          } finally {
            // A process that was asked to end does so in a later turn of the event loop.
            await new Promise((resolve) => setImmediate(resolve));
            await save();
          }
        }),
      );
    });
}

const EMPTY: Kept = { containers: [], images: [], volumes: [], networks: [], secrets: [] };

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const VERSION = 2;

/** Only this program writes the file. The digest detects modifications. */
function write(state: Kept): string {
  return JSON.stringify({ version: VERSION, digest: digestOf(state), state });
}

function parse(text: string, file: string): Kept {
  const { version, digest, state } = objectOf(parseJson(text));
  // With this digest, the state has the type that `write` received.
  if (version === VERSION && digest === digestOf(state)) return state as Kept;
  const message = `The state of the mock backend in '${file}' is damaged. Remove the file to start without it.`;
  throw new RuntimeError({ case: 'persistenceFailure', message });
}

function digestOf(state: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(state ?? null))
    .digest('hex');
}

function snapshot(mockState: MockState): Kept {
  return {
    containers: [...mockState.containers.values()].map(
      ({ process: _process, change: _change, archives: _archives, files: _files, addresses, ...rest }) => ({
        ...rest,
        addresses: [...addresses],
      }),
    ),
    images: [...mockState.images],
    volumes: [...mockState.volumes.values()],
    networks: [...mockState.networks.values()],
    secrets: [...mockState.secrets.values()].map(({ value, ...rest }) => ({
      ...rest,
      value: Buffer.from(value).toString('base64'),
    })),
  };
}

/** Replaces the state by that of the file, and wakes up all waiters for changes of containers. */
function adopt(mockState: MockState, kept: Kept): void {
  const before = new Map(mockState.containers);
  mockState.containers.clear();
  for (const { addresses, ...rest } of kept.containers) {
    const present = before.get(rest.id);
    before.delete(rest.id);
    const container: MockContainer = {
      ...rest,
      addresses: new Map(addresses),
      archives: present?.archives ?? [],
      files: present?.files ?? new Map<string, MockFile>(),
      change: present?.change ?? change(),
    };
    // Readers keep a reference to the object, so update it in place.
    const known = present === undefined ? container : update(present, container);
    mockState.containers.set(known.id, known);
    if (known.state === 'running') known.process ??= revived(mockState, known);
    else delete known.process;
    known.change.notify();
  }
  for (const gone of before.values()) {
    gone.state = 'ended';
    delete gone.process;
    gone.change.notify();
  }
  refill(mockState.images, kept.images);
  refill(
    mockState.volumes,
    kept.volumes.map((each) => [each.name, each] as const),
  );
  refill(
    mockState.networks,
    kept.networks.map((each) => [each.name, each] as const),
  );
  refill(
    mockState.secrets,
    kept.secrets.map((each) => [each.name, { ...each, value: Buffer.from(each.value, 'base64') }] as const),
  );
}

function update(present: MockContainer, now: MockContainer): MockContainer {
  delete present.startedAt;
  delete present.finishedAt;
  delete present.exitCode;
  delete present.health;
  delete present.stats;
  delete present.paused;
  const { log, ...rest } = now;
  present.log.splice(0, Infinity, ...log);
  return Object.assign(present, rest);
}

function refill<V>(map: Map<string, V>, entries: readonly (readonly [string, V])[]): void {
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}

/** Simulates a container that another command started: it also runs here, until a signal ends it. */
function revived(mockState: MockState, container: MockContainer): NonNullable<MockContainer['process']> {
  const process = runProgram(service, { command: [], environment: {}, write: () => undefined });
  process.exit
    .then((code) => {
      if (container.process === process && container.state === 'running') endRun(mockState, container, code);
    })
    .catch(() => undefined);
  return process;
}

async function failing<T>(file: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    const code = errorCode(cause);
    if (typeof code !== 'string') throw cause;
    const message = `The state of the mock backend in '${file}' cannot be read or written (${code}).`;
    throw new RuntimeError({ case: 'persistenceFailure', message }, { cause });
  }
}
