import { fileURLToPath } from 'node:url';
import type { Contract } from '../../src/contract-tools/gate/contract.js';
import type { Exchange } from '../../src/contract-tools/gate/exchange.js';
import { createRecorder, type Recorder } from '../../src/contract-tools/gate/recorder.js';
import { loadContract } from './load-contract.js';
import { openObservations, type Unit } from '../../src/contract-tools/gate/observations.js';

/** The repository's root. */
const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Where the observations of a run lie, relative to the root. */
export const observationsFolder = 'coverage/contract';

export type { Exchange } from '../../src/contract-tools/gate/exchange.js';
export { ContractViolation, createRecorder, type Recorder } from '../../src/contract-tools/gate/recorder.js';

/**
 * A `fetch` for tests that talk to a server of `api`. Its promise is rejected with a `ContractViolation`, and so is the
 * reading of a stream, when a reply is not as documented. Pages beside the API are not checked.
 *
 * @param api the contract's name, for example `platform`
 * @param transport carries the requests, for example over a unix socket
 */
export function recordingFetch(api: string, transport: typeof fetch = fetch): typeof fetch {
  return recorderOf(api, transport).fetch;
}

/**
 * Checks one exchange that was made over a raw socket or by another client, or is in a HAR file.
 *
 * @throws ContractViolation
 */
export function recordExchange(api: string, exchange: Exchange): void {
  recorderOf(api, fetch).record(exchange);
}

/** Notes that something documented was seen; the way in for surfaces that are not described by OpenAPI. */
export function observe(surface: string, unit: Unit): void {
  defaultObservations.observe(surface, unit);
}

/** Notes that something was not as documented: the gate will fail. */
export function reportFault(surface: string, fault: string): void {
  defaultObservations.reportFault(surface, fault);
}

const defaultObservations = openObservations(`${root}/${observationsFolder}`);
const contracts = new Map<string, Contract>();

function recorderOf(api: string, transport: typeof fetch): Recorder {
  const contract = contracts.get(api) ?? loadContract(api, root);
  contracts.set(api, contract);
  return createRecorder(contract, defaultObservations, transport);
}
