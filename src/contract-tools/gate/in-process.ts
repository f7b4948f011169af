/** `@plumbline/contract-tools/gate`: the gate for tests that have a server in their process. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readExceptions } from './exceptions.js';
import type { Exchange } from './exchange.js';
import { judge } from './judge.js';
import { collectObservations, openObservations, readObservations } from './observations.js';
import { observeReply } from './observe-reply.js';
import { ContractViolation, createRecorder } from './recorder.js';
import { loadContract, surfaceName, unitsOf } from './surface.js';
import { failuresOf, printTree } from './tree.js';

export type { Exchange } from './exchange.js';

export interface GateSettings {
  /**
   * A folder that keeps what was seen, and that several processes may share. `plumbline gate <contract> --observations
   * <folder>` judges all of it. Default: memory.
   */
  readonly observations?: string;
  /** A YAML list of `{unit, reason}`: what need not be seen. */
  readonly exceptions?: string;
}

/** The comparison of what was seen with what the contract documents. */
export interface GateReport {
  /** Everything documented was seen, and nothing else. */
  readonly passed: boolean;
  /** What was not seen, not documented or not as documented, a line each. */
  readonly failures: string[];
  /** The whole report as text, as `plumbline gate` prints it. */
  readonly text: string;
}

/** Handles a request as the frameworks for Node do: `createServer(listener)`. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface Gate {
  /** A listener that does the same, and whose replies are observed. */
  readonly wrap: (listener: Listener) => Listener;
  /** Observes the reply to one request; for a middleware or a hook that runs before anything is written. */
  readonly observe: (request: IncomingMessage, response: ServerResponse) => void;
  /** Notes an exchange that was observed by other means. */
  readonly record: (exchange: Exchange) => void;
  /** Judges what was seen until now. */
  readonly report: () => GateReport;
}

/**
 * Opens the gate for a contract.
 *
 * A reply that is not as documented reaches the client as it is, and is part of the report.
 *
 * @param contract path of an OpenAPI 3.x document, YAML or JSON
 * @throws Error when the contract or the exceptions cannot be read, or the contract has no operation
 */
export async function openGate(contract: string, settings: GateSettings = {}): Promise<Gate> {
  const documented = loadContract(contract);
  const exceptions = settings.exceptions === undefined ? [] : await readExceptions(settings.exceptions);
  const { observations: folder } = settings;
  const memory = collectObservations();
  const recorder = createRecorder(documented, folder === undefined ? memory : openObservations(folder));
  const record = (exchange: Exchange): void => {
    try {
      recorder.record(exchange);
    } catch (error) {
      // The observations hold the fault.
      if (!(error instanceof ContractViolation)) throw error;
    }
  };
  const observe: Gate['observe'] = (request, response) => {
    observeReply(request, response, record);
  };
  return {
    observe,
    record,
    wrap: (listener) => (request, response) => {
      observe(request, response);
      return listener(request, response);
    },
    report: () => {
      const seen = folder === undefined ? memory.seen() : readObservations(folder, surfaceName);
      const verdict = judge([{ name: surfaceName, units: unitsOf(documented), seen }], exceptions);
      return { passed: verdict.passed, failures: failuresOf(verdict), text: printTree(verdict).trim() };
    },
  };
}
