/** Builds a whole backend from the primitive operations of an engine. */
import { randomInt } from 'node:crypto';
import type { Clock } from '../clock.js';
import { alreadyExists, isRuntimeError, unlessNotFound } from '../errors.js';
import type { NetworkRecord } from '../records.js';
import type { Backend, NetworkOperations } from '../runtime.js';
import type { NetworkSpec } from '../spec.js';
import type { StopMarks } from '../state.js';
import { containerOperations } from './containers.js';
import type { Engine } from './engine.js';
import { runtimeEvents } from './events.js';
import { refusedNetworks, refusedSecrets, refusedWait } from './refusals.js';
import { stopLedger } from './stop-ledger.js';
import { exitAwaiter } from './waiting.js';

const DEFAULT_WAIT_SECONDS = 60;

export interface BackendParts {
  readonly engine: Engine;
  readonly marks: StopMarks;
  readonly clock: Clock;
}

export function engineBackend({ engine, marks, clock }: BackendParts): Backend {
  const ledger = stopLedger(engine, marks, clock);
  const awaitExit = exitAwaiter(engine, clock, Infinity);
  const wait = engine.refuses.wait ? refusedWait(engine.conformer) : exitAwaiter(engine, clock, DEFAULT_WAIT_SECONDS);
  return {
    conformer: engine.conformer,
    system: {
      ping: (options = {}) => engine.system.ping(options.signal),
      version: (options = {}) => engine.system.version(options.signal),
      info: (options = {}) => engine.system.info(options.signal),
      events: (options = {}) => runtimeEvents(engine, ledger, clock, options),
    },
    containers: { ...containerOperations(engine, ledger, clock, awaitExit), wait },
    images: engine.images,
    volumes: engine.volumes,
    networks: engine.refuses.networks ? refusedNetworks(engine.conformer) : engine.networks,
    secrets: engine.secrets ?? refusedSecrets(engine.conformer),
    internal: {
      networks: engine.networks,
      ensureNetwork: (spec, options = {}) => ensureNetwork(engine.networks, spec, clock, options.signal),
      disconnect: engine.networks.disconnect,
      awaitExit,
      ...(engine.requireImageMounts && { requireImageMounts: engine.requireImageMounts }),
      rename: (id, name, { signal } = {}) => engine.containers.rename(id, name, signal),
    },
  };
}

/** The label by which Compose tools recognize the containers of a project. */
const PROJECT_LABEL = 'com.docker.compose.project';

/** Two processes that create a network at once may both withdraw theirs (`NetworkOperations.create`). */
const ATTEMPTS = 5;
const LONGEST_PAUSE_MS = 300;

/** `InternalOperations.ensureNetwork` */
export async function ensureNetwork(
  networks: NetworkOperations,
  spec: NetworkSpec,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<NetworkRecord> {
  const abortable = signal === undefined ? {} : { signal };
  for (let attempt = 1; ; attempt++) {
    try {
      return await networks.create(spec, abortable);
    } catch (error) {
      if (!isRuntimeError(error, 'alreadyExists')) throw error;
      const existing = await unlessNotFound(networks.inspect(spec.name, abortable));
      if (existing !== undefined) return owned(existing, spec);
      // Another process has removed it in the meantime. A random pause lets one of two be the first.
      if (attempt === ATTEMPTS) throw error;
      await clock.sleep(randomInt(LONGEST_PAUSE_MS), signal);
    }
  }
}

function owned(network: NetworkRecord, spec: NetworkSpec): NetworkRecord {
  if (network.labels[PROJECT_LABEL] !== spec.labels?.[PROJECT_LABEL]) throw alreadyExists(spec.name);
  return network;
}
