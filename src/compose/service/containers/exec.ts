/** Runs commands in running containers. */
import type { ExecInContainerHandler, Schemas } from '../../../../generated/compose/operations.js';
import type { AttachedProcess, OutputStream } from '../../runtime/records.js';
import type { ExecSpec } from '../../runtime/spec.js';
import type { ComposeDependencies } from '../dependencies.js';
import { answering } from '../failure-replies.js';
import { toAsyncIterable } from '@plumbline/contract/system/async-iterable';
import { streamOf, streamSignal } from '../streams.js';
import { NOT_ALLOWED, requireAllowance } from '../trust/trust.js';

type Frame = Schemas['ExecOutput'] | Schemas['ExecExit'];
type Encoding = Schemas['OutputEncoding'];

export const execInContainer: ExecInContainerHandler<ComposeDependencies> = ({ params, body, context }, dependencies) =>
  answering([...NOT_ALLOWED, 'RuntimeError.notFound', 'RuntimeError.invalidState'], async () => {
    if (body.privileged) requireAllowance('privileges', ['privileged'], dependencies.allowances);
    const signal = streamSignal(context, dependencies);
    const process = await dependencies.backend.containers.exec(params.id, specOf(body), { signal });
    const frames = framesOf(process, body.encoding ?? 'utf8');
    return { status: 200, body: streamOf(frames, (frame) => frame, signal, dependencies) };
  });

function specOf(body: Schemas['ExecRequest']): ExecSpec {
  const { command, environment, user, working_directory: workingDirectory, privileged, tty, stdin } = body;
  return {
    command,
    ...(environment && { environment }),
    ...(user !== undefined && { user }),
    ...(workingDirectory !== undefined && { workingDirectory }),
    ...(privileged !== undefined && { privileged }),
    ...(tty !== undefined && { tty }),
    ...(stdin !== undefined && { stdin: toAsyncIterable([Buffer.from(stdin, body.encoding ?? 'utf8')]) }),
  };
}

async function* framesOf(process: AttachedProcess, encoding: Encoding): AsyncGenerator<Frame, void> {
  // The exit code rejects as the output does. A client that leaves early handles it here.
  process.exitCode.catch(() => undefined);
  const texts = { stdout: textOf(encoding), stderr: textOf(encoding) };
  const output = (stream: OutputStream, data: string): Frame[] =>
    data === '' ? [] : [{ type: 'output', stream, data }];
  for await (const { stream, data } of process.output) yield* output(stream, texts[stream].push(data));
  for (const stream of ['stdout', 'stderr'] as const) yield* output(stream, texts[stream].rest());
  yield { type: 'exit', exit_code: await process.exitCode };
}

/** Encodes bytes for JSON. A character split between chunks waits for its remaining bytes. */
function textOf(encoding: Encoding): { push: (data: Uint8Array) => string; rest: () => string } {
  if (encoding === 'base64') return { push: (data) => Buffer.from(data).toString('base64'), rest: () => '' };
  const decoder = new TextDecoder();
  return { push: (data) => decoder.decode(data, { stream: true }), rest: () => decoder.decode() };
}
