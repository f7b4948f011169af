/** The worker thread that loads compose files of clients: a slow file does not delay the requests of others. */
import { parentPort } from 'node:worker_threads';
import { ComposeFailure } from '../../model/errors.js';
import type { LoadedProject } from '../../model/loader/load.js';
import type { Place, Path } from '../../model/node.js';
import type { UnusableText } from '@plumbline/contract/unusable-text';
import { checkSent, loadIngested } from './ingested-project.js';
import type { CheckedProject, IngestedSelection, SentProject } from './ingested-project.js';
import { UnusableEscape } from './unusable-escapes.js';

export type LoadingTask =
  | { readonly kind: 'check'; readonly sent: SentProject; readonly mostServices: number }
  | { readonly kind: 'load'; readonly sent: SentProject; readonly selection: IngestedSelection };

/** Errors lose their class between threads, so the known ones are sent as data. */
export type LoadingReply =
  | { readonly kind: 'done'; readonly value: CheckedProject | LoadedProject }
  | { readonly kind: 'failure'; readonly failure: SentFailure }
  | { readonly kind: 'unusable'; readonly path: Path; readonly reason: UnusableText }
  | { readonly kind: 'error'; readonly error: unknown };

export interface SentFailure extends Pick<ComposeFailure, 'error' | 'case' | 'fields' | 'message'> {
  readonly location: Place | undefined;
}

parentPort?.on('message', (task: LoadingTask) => {
  void answer(task).then((reply) => {
    parentPort?.postMessage(reply);
  });
});

async function answer(task: LoadingTask): Promise<LoadingReply> {
  try {
    const { sent } = task;
    const value =
      task.kind === 'check' ? await checkSent(sent, task.mostServices) : await loadIngested(sent, task.selection);
    return { kind: 'done', value };
  } catch (error) {
    if (error instanceof UnusableEscape) return { kind: 'unusable', path: error.path, reason: error.reason };
    if (!(error instanceof ComposeFailure)) return { kind: 'error', error };
    const { error: family, case: failureCase, fields, message, location } = error;
    return { kind: 'failure', failure: { error: family, case: failureCase, fields, message, location } };
  }
}
