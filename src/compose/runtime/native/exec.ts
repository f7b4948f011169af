/** Runs processes with attached streams, each through its own podman command. */
import { attachedProcess } from '../engine/attached.js';
import { feed } from '../engine/feed.js';
import type { EngineContainer } from '../engine/engine.js';
import { notSupported } from '../errors.js';
import { channel } from '../channel.js';
import type { AttachedProcess, OutputChunk, OutputStream } from '../records.js';
import type { AttachOptions, ExecSpec } from '../spec.js';
import { option, variableArguments } from './options.js';
import { podmanFailure } from './failures.js';
import type { RunningProgram } from '../program.js';
import type { Podman } from './podman.js';

/** Podman's own failure, as opposed to an exit code of the process. */
const PODMAN_FAILED = 125;

export function execProcess(
  podman: Podman,
  id: string,
  spec: ExecSpec,
  signal?: AbortSignal,
): Promise<AttachedProcess> {
  const variables = variableArguments(spec.environment ?? {});
  const process = podman.start(
    [
      'exec',
      ...(spec.stdin ? ['--interactive'] : []),
      ...(spec.tty ? ['--tty'] : []),
      ...(spec.privileged ? ['--privileged'] : []),
      ...option('--user', spec.user),
      ...option('--workdir', spec.workingDirectory),
      ...variables.args,
      id,
      ...spec.command,
    ],
    { environment: variables.environment, withInput: spec.stdin !== undefined, signal },
  );
  feed(process.stdin, spec.stdin);
  const secrets = [...podman.secrets, ...Object.values(spec.environment ?? {})];
  return Promise.resolve(attached(process, secrets, (code) => Promise.resolve(code)));
}

/** Ending the attachment ends the podman command, not the container. */
export function attach(
  podman: Podman,
  container: EngineContainer,
  { stdin, signal }: AttachOptions,
  inspect: () => Promise<EngineContainer>,
): Promise<AttachedProcess> {
  const process = podman.start(['attach', '--sig-proxy=false', ...(stdin ? [] : ['--no-stdin']), container.id], {
    withInput: stdin !== undefined,
    signal,
    // The caller decides what Ctrl-C does.
    apart: true,
  });
  feed(process.stdin, stdin);
  const exitCode = async (code: number): Promise<number> => (await inspect()).exitCode ?? code;
  return Promise.resolve(attached(process, podman.secrets, exitCode));
}

export function startAttached(
  podman: Podman,
  container: EngineContainer,
  stdin: AsyncIterable<Uint8Array> | undefined,
  inspect: () => Promise<EngineContainer>,
  signal?: AbortSignal,
): Promise<AttachedProcess> {
  const process = podman.start(
    ['start', '--attach', '--sig-proxy=false', ...(stdin ? ['--interactive'] : []), container.id],
    { withInput: stdin !== undefined, signal },
  );
  feed(process.stdin, stdin);
  // Podman exits with the container's code unless podman itself failed, so check the container's record.
  const exitCode = async (code: number): Promise<number> => (await inspect()).exitCode ?? code;
  return Promise.resolve(attached(process, podman.secrets, exitCode));
}

function attached(
  process: RunningProgram,
  secrets: readonly string[],
  exitCode: (code: number) => Promise<number>,
): AttachedProcess {
  const errors: Buffer[] = [];
  return attachedProcess({
    output: outputOf(process, errors),
    exitCode: async () => {
      const code = await process.exit;
      if (code !== PODMAN_FAILED) return exitCode(code);
      throw podmanFailure(Buffer.concat(errors).toString('utf8'), {}, secrets);
    },
    // A pipe has no size, and podman takes the terminal size from its own terminal.
    resize: () => Promise.reject(notSupported('resize', 'native')),
  });
}

/** Keeps the end of standard error, which contains podman's reason on failure. */
async function* outputOf(process: RunningProgram, errors: Buffer[]): AsyncGenerator<OutputChunk, void> {
  const chunks = channel<OutputChunk>({
    capacity: 16,
    onClose: () => {
      process.end();
    },
  });
  const read = async (stream: OutputStream, source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const data of source) {
      if (stream === 'stderr') {
        errors.push(data);
        if (errors.length > 16) errors.shift();
      }
      await chunks.push({ stream, data });
    }
  };
  Promise.all([read('stdout', process.stdout), read('stderr', process.stderr), process.exit]).then(
    () => {
      chunks.end();
    },
    (error: unknown) => {
      chunks.fail(error);
    },
  );
  yield* chunks;
}
