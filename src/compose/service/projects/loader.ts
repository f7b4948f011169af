/** Loads compose files of clients in worker threads, a bounded number of them, each file within a deadline. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ComposeFailure, failure } from '../../model/errors.js';
import type { LoadedProject } from '../../model/loader/load.js';
import type { CheckedProject, IngestedSelection, SentProject } from './ingested-project.js';
import type { ProjectLimits } from './limits.js';
import type { LoadingReply, LoadingTask } from './loading-worker.js';
import { ServerBusy } from '../server-busy.js';
import { UnusableEscape } from './unusable-escapes.js';
import { errorCode } from '@plumbline/contract/system/error-code';

export interface ProjectLoader {
  /**
   * Validates a file that was sent.
   *
   * @throws ComposeFailure; YamlError.limitExceeded also when it takes too long or too much memory
   * @throws UnusableEscape
   * @throws ServerBusy when too many files are waiting
   */
  check(sent: SentProject): Promise<CheckedProject>;
  /**
   * Loads a file that was validated before. It is preferred to files that were not.
   *
   * @throws ComposeFailure
   */
  load(project: SentProject, selection: IngestedSelection): Promise<LoadedProject>;
  close(): Promise<void>;
}

/** One core remains for requests. More threads than this cost memory and do not help a server of one team. */
const mostWorkers = Math.max(1, Math.min(4, availableParallelism() - 1));
/** A file of the largest permitted size needs less than half of this. */
const memoryMegabytes = 1024;

interface Job {
  readonly task: LoadingTask;
  readonly resolve: (value: CheckedProject | LoadedProject) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * @param script the built worker: `loading-worker.js`
 * @param forSwarm whether the projects are for a swarm
 */
export function createProjectLoader(
  script: URL,
  limits: Pick<ProjectLimits, 'services' | 'loadSeconds' | 'waiting'>,
  forSwarm: boolean,
): ProjectLoader {
  const queues: Readonly<Record<LoadingTask['kind'], Job[]>> = { load: [], check: [] };
  const idle: LoadingThread[] = [];
  const threads = new Set<LoadingThread>();

  const run = (task: LoadingTask): Promise<CheckedProject | LoadedProject> =>
    new Promise((resolve, reject) => {
      queues[task.kind].push({ task, resolve, reject });
      assign();
    });

  function assign(): void {
    const job = queues.load[0] ?? queues.check[0];
    const thread = job === undefined ? undefined : (idle.pop() ?? started());
    if (job === undefined || thread === undefined) return;
    queues[job.task.kind].shift();
    // A file that was accepted once is not refused later because the machine is slower now.
    thread.take(job, job.task.kind === 'check' ? limits.loadSeconds : null);
    assign();
  }

  function started(): LoadingThread | undefined {
    if (threads.size >= mostWorkers) return undefined;
    const thread = new LoadingThread(script, (isUsable) => {
      if (isUsable) idle.push(thread);
      else {
        threads.delete(thread);
        if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1);
      }
      assign();
    });
    threads.add(thread);
    return thread;
  }

  return {
    async check(sent) {
      if (queues.check.length >= limits.waiting) {
        throw new ServerBusy('Too many compose files are being validated. Try again soon.');
      }
      // The worker replies to each kind of task with its own kind of value.
      return (await run({
        kind: 'check',
        sent: { ...sent, forSwarm },
        mostServices: limits.services,
      })) as CheckedProject;
    },
    load: async (project, selection) =>
      (await run({ kind: 'load', sent: { ...withoutOthers(project), forSwarm }, selection })) as LoadedProject,
    async close() {
      await Promise.all([...threads].map((thread) => thread.end()));
    },
  };
}

/** Everything in a task is copied to the thread. */
function withoutOthers({ name, text, directory, allowances, sent }: SentProject): SentProject {
  return { name, text, directory, allowances, ...(sent && { sent }) };
}

class LoadingThread {
  readonly #worker: Worker;
  readonly #left: (isUsable: boolean) => void;
  #job: Job | null = null;
  #deadline: NodeJS.Timeout | undefined;
  #isEnding = false;

  /** @param left is called when the thread can take the next job, and once when it has ended */
  constructor(script: URL, left: (isUsable: boolean) => void) {
    this.#left = left;
    this.#worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes }, env: {} });
    this.#worker.unref(); // an idle thread does not keep the process running
    this.#worker.on('message', (reply: LoadingReply) => {
      if (this.#isEnding) return;
      this.#finish((job) => {
        settle(job, reply);
      });
      this.#left(true);
    });
    this.#worker.on('error', (error: unknown) => {
      this.#finish(({ reject }) => {
        reject(isOutOfMemory(error) ? exceeded('MB of memory', memoryMegabytes) : error);
      });
    });
    this.#worker.on('exit', () => {
      this.#finish(({ reject }) => {
        reject(new Error('the thread that loads compose files has ended'));
      });
      this.#left(false);
    });
  }

  /** @param seconds the deadline; null: none */
  take(job: Job, seconds: number | null): void {
    this.#job = job;
    this.#worker.ref();
    this.#worker.postMessage(job.task);
    if (seconds === null) return;
    this.#deadline = setTimeout(() => {
      this.#finish(({ reject }) => {
        reject(exceeded('seconds of processing', Math.ceil(seconds)));
      });
      void this.end();
    }, seconds * 1000);
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#worker.terminate();
  }

  #finish(act: (job: Job) => void): void {
    const job = this.#job;
    this.#job = null;
    clearTimeout(this.#deadline);
    this.#worker.unref();
    if (job !== null) act(job);
  }
}

function settle({ resolve, reject }: Job, reply: LoadingReply): void {
  if (reply.kind === 'done') resolve(reply.value);
  else if (reply.kind === 'unusable') reject(new UnusableEscape(reply.path, reply.reason));
  else if (reply.kind === 'error') reject(reply.error);
  else {
    const { error, case: failureCase, fields, message, location } = reply.failure;
    reject(new ComposeFailure(error, failureCase, fields, message, location));
  }
}

function exceeded(limit: string, maximum: number): Error {
  return failure('YamlError', 'limitExceeded', { limit, maximum });
}

function isOutOfMemory(error: unknown): boolean {
  return errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY';
}
