/** Builds a whole backend from the primitive operations of an engine. */
import type { Clock } from '../clock.js';
import { alreadyExists, isRuntimeError } from '../errors.js';
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
      ensureNetwork: (spec, options = {}) => ensureNetwork(engine.networks, spec, options.signal),
      awaitExit,
      ...(engine.requireImageMounts && { requireImageMounts: engine.requireImageMounts }),
      rename: (id, name, { signal } = {}) => engine.containers.rename(id, name, signal),
    },
  };
}

/** The label by which Compose tools recognize the containers of a project. */
const PROJECT_LABEL = 'com.docker.compose.project';

/** `InternalOperations.ensureNetwork` */
export async function ensureNetwork(
  networks: NetworkOperations,
  spec: NetworkSpec,
  signal: AbortSignal | undefined,
): Promise<NetworkRecord> {
  const abortable = signal === undefined ? {} : { signal };
  try {
    return await networks.create(spec, abortable);
  } catch (error) {
    if (!isRuntimeError(error, 'alreadyExists')) throw error;
    const existing = await networks.inspect(spec.name, abortable).catch((missing: unknown) => {
      // Another client removed it in the meantime.
      throw isRuntimeError(missing, 'notFound') ? error : missing;
    });
    return owned(existing, spec);
  }
}

function owned(network: NetworkRecord, spec: NetworkSpec): NetworkRecord {
  if (network.labels[PROJECT_LABEL] !== spec.labels?.[PROJECT_LABEL]) throw alreadyExists(spec.name);
  return network;
}
