/**
 * What every backend must do, written once. Each test names the operations that it proves, and the table of
 * operation by backend (conformance-table.ts) is what has been seen to pass.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { isRuntimeError, TerminalError, type RuntimeFailure } from '../../../src/compose/runtime/errors.js';
import type { AttachedProcess, ContainerRecord, LogLine, OutputStream } from '../../../src/compose/runtime/records.js';
import type { Backend } from '../../../src/compose/runtime/runtime.js';
import type { ContainerSpec } from '../../../src/compose/runtime/spec.js';
import type { StopMarks } from '../../../src/compose/runtime/state.js';
import type { TestProgram } from './programs.js';

export interface Subject {
  /** The name of the column. */
  readonly name: string;
  readonly backend: Backend;
  readonly image: string;
  /** Carried by everything that is made, for the clean-up. */
  readonly labels: Readonly<Record<string, string>>;
  /** Processes, networks and files really exist. */
  readonly real: boolean;
  /** What builds images, unless it is Podman itself. */
  readonly builder?: 'classic' | 'buildx';
  /** The same engine as another process opens it. Absent where the engine is the process. */
  readonly open?: (marks: StopMarks) => Backend;
}

export type Outcome = 'passes' | 'refuses' | 'fails';

/** The outcome of each operation: the worst of its tests. */
export type ConformanceColumn = Record<string, Outcome>;

/** What a part of the suite works with. */
export interface Bench extends Subject {
  /** A test that proves these operations, and notes the outcome. */
  proves(operations: readonly string[], sentence: string, test: () => Promise<void>): void;
  /** A test that these operations are refused. */
  refuses(operations: readonly string[], sentence: string, test: () => Promise<void>): void;
  /** What an engine's failure is where nothing else is known of it: it is called, or it is a program that is run. */
  readonly engineFailure: 'backendFailure' | 'commandFailed';
  /** A name that nothing else has. */
  fresh(word: string): string;
  spec(program: TestProgram, more?: Partial<ContainerSpec>): ContainerSpec;
  created(program: TestProgram, more?: Partial<ContainerSpec>): Promise<string>;
  started(program: TestProgram, more?: Partial<ContainerSpec>): Promise<string>;
  /** Run to its end. */
  ended(program: TestProgram, more?: Partial<ContainerSpec>): Promise<string>;
  status(id: string): Promise<ContainerRecord['status']>;
}

export type SuitePart = (bench: Bench) => void;

/** Runs the parts over a subject, and notes the outcomes in the column. */
export function conformance(subject: Subject, column: ConformanceColumn, parts: readonly SuitePart[]): void {
  const note = (operations: readonly string[], good: Outcome) => (passed: boolean) => {
    for (const operation of operations) {
      if (!passed) column[operation] = 'fails';
      else column[operation] ??= good;
    }
  };
  const noted =
    (good: Outcome): Bench['proves'] =>
    (operations, sentence, test) => {
      it(`${sentence} [${operations.join(', ')}]`, async () => {
        const outcome = note(operations, good);
        try {
          await test();
          outcome(true);
        } catch (error) {
          outcome(false);
          throw error;
        }
      });
    };
  const { containers } = subject.backend;
  const fresh = (word: string): string => `plt-${word}-${randomBytes(4).toString('hex')}`;
  const spec: Bench['spec'] = (program, more = {}) => ({
    name: fresh('c'),
    image: subject.image,
    command: program.command,
    ...more,
    labels: { ...subject.labels, ...more.labels },
  });
  const created: Bench['created'] = async (program, more) => (await containers.create(spec(program, more))).id;
  const started: Bench['started'] = async (program, more) => {
    const id = await created(program, more);
    await containers.start(id);
    if (program.saysReady)
      for await (const { line } of await containers.logs(id, { follow: true })) if (line === 'ready') break;
    return id;
  };
  const bench: Bench = {
    ...subject,
    proves: noted('passes'),
    refuses: noted('refuses'),
    engineFailure: subject.backend.conformer === 'native' ? 'commandFailed' : 'backendFailure',
    fresh,
    spec,
    created,
    started,
    async ended(program, more) {
      const id = await started(program, more);
      await subject.backend.internal.awaitExit(id, { timeoutSeconds: 30 });
      return id;
    },
    status: async (id) => (await containers.inspect(id)).status,
  };
  describe(subject.name, { timeout: 60_000 }, () => {
    for (const part of parts) part(bench);
    afterAll(async () => {
      const left = await containers.list({ labels: subject.labels });
      // Newest first: one that shares another's network goes before it.
      for (const { id } of [...left].reverse()) await containers.remove(id, { force: true, volumes: true });
    }, 120_000);
  });
}

/** The failure of a rejected operation. */
export async function failure(operation: Promise<unknown>): Promise<RuntimeFailure | TerminalError['failure']> {
  const error = await operation.then(
    () => expect.fail('the operation succeeded'),
    (reason: unknown) => reason,
  );
  if (!isRuntimeError(error) && !(error instanceof TerminalError)) throw error;
  return error.failure;
}

export async function all<T>(items: AsyncIterable<T> | Promise<AsyncIterable<T>>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of await items) list.push(item);
  return list;
}

export function texts(lines: readonly LogLine[], stream?: OutputStream): string[] {
  return lines.filter((line) => stream === undefined || line.stream === stream).map(({ line }) => line);
}

/** All that a process prints, and how it ends. */
export async function outcome(process: AttachedProcess): Promise<{ stdout: string; stderr: string; exitCode: number }> {
  const printed = { stdout: '', stderr: '' };
  for await (const { stream, data } of process.output) printed[stream] += Buffer.from(data).toString('utf8');
  return { ...printed, exitCode: await process.exitCode };
}

/** Looks again until the condition holds; the test's own time limit ends it. */
export async function eventually(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}
