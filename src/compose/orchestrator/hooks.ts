/** Lifecycle hooks: commands that run in a service's container after the start and before the stop. */
import type { Hook } from '../model/project/workload.js';
import { backendFailure } from '../runtime/errors.js';
import { optionalField } from './container/optional-field.js';
import type { Orchestration } from './orchestration.js';

/**
 * Runs hooks in a container, in sequence.
 *
 * @throws RuntimeError.backendFailure for the first hook with a nonzero exit code
 */
export async function runHooks(
  { backend, report, signal }: Orchestration,
  container: { readonly id: string; readonly name: string },
  hooks: readonly Hook[] = [],
): Promise<void> {
  for (const hook of hooks) {
    const running = await backend.containers.exec(
      container.id,
      {
        command: hook.command ?? [],
        environment: hookEnvironment(hook),
        ...optionalField('user', hook.user),
        ...optionalField('workingDirectory', hook.working_dir),
        ...optionalField('privileged', hook.privileged),
      },
      { signal },
    );
    for await (const { data } of running.output) {
      report({ kind: 'line', name: container.name, text: Buffer.from(data).toString().trimEnd() });
    }
    const code = await running.exitCode;
    if (code !== 0) throw backendFailure(`A hook of container '${container.name}' exited with status ${code}.`);
  }
}

export function hookEnvironment({ environment = {} }: Hook): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}
