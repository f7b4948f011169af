import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeServer, listen, untilStopped } from '../listen.js';
import { probe } from '../probe.js';
import { parseListen, parseTarget, UsageError } from '../usage-error.js';
import type { Contract } from './contract.js';
import { readExceptions, type Exception } from './exceptions.js';
import { judge, type Verdict } from './judge.js';
import { renderJunit } from './junit.js';
import { openObservations, readObservations } from './observations.js';
import { createRecordingProxy } from './proxy.js';
import { ContractViolation, createRecorder } from './recorder.js';
import { loadContract, surfaceName, unitsOf } from './surface.js';
import { printTree } from './tree.js';

/** What `plumbline gate` was asked for. */
export interface GateOptions {
  /** The server to stand in front of; without it, `observations` of earlier runs are judged. */
  readonly target?: string;
  readonly listen: string;
  /** Runs in a shell, with the proxy's address in `GATE_URL`; without it, the proxy runs until it is interrupted. */
  readonly run?: string;
  readonly observations?: string;
  readonly exceptions?: string;
  readonly junit?: string;
  readonly json?: string;
}

/**
 * Records what a server does, and compares it with its contract in both directions.
 *
 * @param print where lines for people go
 * @returns the exit code: 0 if everything documented was seen and nothing else, 1 if not
 * @throws UsageError, DocumentError
 */
export async function runGate(path: string, options: GateOptions, print: (line: string) => void): Promise<number> {
  const contract = loadContract(path);
  const exceptions = await exceptionsIn(options.exceptions);
  if (options.target === undefined && options.observations === undefined) {
    throw new UsageError('Say with --target which server to record, or with --observations what to judge.');
  }
  const folder = options.observations ?? (await mkdtemp(join(tmpdir(), 'plumbline-gate-')));
  try {
    const failed =
      options.target === undefined ? false : await record(contract, options.target, folder, options, print);
    const seen = readObservations(folder, surfaceName);
    const verdict = judge([{ name: surfaceName, units: unitsOf(contract), seen }], exceptions);
    print(printTree(verdict));
    await writeReports(verdict, options);
    if (failed) print('The command failed.');
    return verdict.passed && !failed ? 0 : 1;
  } finally {
    if (options.observations === undefined) await rm(folder, { recursive: true });
  }
}

/** Runs the proxy for as long as the command runs. Returns whether the command failed. */
async function record(
  contract: Contract,
  targetText: string,
  folder: string,
  options: GateOptions,
  print: (line: string) => void,
): Promise<boolean> {
  const target = parseTarget(targetText);
  await probe(target, 'correct --target');
  const recorder = createRecorder(contract, openObservations(folder));
  const proxy = createRecordingProxy(target, {
    exchange: (exchange) => {
      try {
        recorder.record(exchange);
      } catch (error) {
        // The observations hold the fault; the client gets the reply as it is.
        if (!(error instanceof ContractViolation)) throw error;
        print(`not as documented: ${error.message}`);
      }
    },
    problem: print,
  });
  const address = (await listen(proxy, parseListen(options.listen))).origin;
  print(`Recording ${address} -> ${target.href}`);
  try {
    if (options.run !== undefined) return (await runCommand(options.run, address)) !== 0;
    print('Send requests there; Ctrl-C ends the recording.');
    await untilStopped();
    return false;
  } finally {
    await closeServer(proxy);
  }
}

async function runCommand(command: string, address: string): Promise<number> {
  const child = spawn(command, { shell: true, stdio: 'inherit', env: { ...process.env, GATE_URL: address } });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      resolve(code ?? 1);
    });
  });
}

async function exceptionsIn(path: string | undefined): Promise<readonly Exception[]> {
  if (path === undefined) return [];
  try {
    return await readExceptions(path);
  } catch (error) {
    throw new UsageError(`The exceptions cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function writeReports(verdict: Verdict, { junit, json }: GateOptions): Promise<void> {
  if (junit !== undefined) await writeFile(junit, renderJunit(verdict));
  if (json !== undefined) await writeFile(json, `${JSON.stringify(verdict, null, 2)}\n`);
}
