/** What a person wants to know of a container that kept others from starting. */
import { isRuntimeError } from '../runtime/errors.js';
import { hasEnded } from '../runtime/lifecycle.js';
import { ComposeWaitError } from './errors.js';
import type { Orchestration } from './orchestration.js';

/** How many lines of a container's log, or of a health check's output, are shown. */
const SHOWN_LINES = 10;

/**
 * Looks at the container that an unmet condition is about.
 *
 * @returns lines to print below the error; none for other errors, and for a container that is gone
 */
export async function explainUnmet({ backend }: Pick<Orchestration, 'backend'>, error: unknown): Promise<string[]> {
  const name = containerOf(error);
  if (name === undefined) return [];
  try {
    const { id, status, exitCode, outOfMemory, health } = await backend.containers.inspect(name);
    if (hasEnded(status)) {
      const lines: string[] = [];
      for await (const { line } of await backend.containers.logs(id, { tail: SHOWN_LINES })) lines.push(line);
      const reason = outOfMemory ? ' for lack of memory' : '';
      return titled(`${name} exited with code ${exitCode ?? 'unknown'}${reason}`, 'Its last lines', lines);
    }
    if (health === undefined) return [];
    const output = (health.output ?? '').trimEnd();
    const title = `${name} is ${health.status}`;
    return titled(title, 'Its last health check printed', output === '' ? [] : output.split(/\r?\n/));
  } catch {
    // The error itself is what has to be told.
    return [];
  }
}

function titled(title: string, label: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [`${title}.`];
  return [`${title}. ${label}:`, ...lines.slice(-SHOWN_LINES).map((line) => `  ${line}`)];
}

function containerOf(error: unknown): string | undefined {
  if (error instanceof ComposeWaitError) return error.failure.containerName;
  return isRuntimeError(error, 'invalidState') && error.failure.expected === 'running' ? error.failure.id : undefined;
}
