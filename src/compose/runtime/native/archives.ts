/** Files of containers as archives, through `podman cp` and `podman export`. */
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { feed } from '../engine/feed.js';
import { operand } from './options.js';
import { podmanFailure } from './failures.js';
import { textOfStream, type Podman } from './podman.js';

const STDERR_LIMIT = 64 * 1024;

/** Rejects before the first byte if podman fails without output. */
export async function archiveOf(
  podman: Podman,
  id: string,
  path: string,
  signal?: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const process = podman.start(['cp', `${operand(id)}:${path}`, '-'], { signal });
  const failed = (async () => {
    const [stderr, code] = await Promise.all([textOfStream(process.stderr, STDERR_LIMIT), process.exit]);
    if (code !== 0) throw podmanFailure(stderr, { id: path }, podman.secrets);
  })();
  failed.catch(() => undefined); // The iteration reports the error.
  const chunks = process.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>; // No encoding is set.
  const first = await chunks.next();
  if (first.done === true) await failed;
  return (async function* () {
    try {
      for (let next = first; next.done !== true; next = await chunks.next()) yield next.value;
      await failed;
    } finally {
      process.end();
    }
  })();
}

export async function putArchive(
  podman: Podman,
  id: string,
  directory: string,
  archive: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<void> {
  const args = ['cp', '--archive=false', '-', `${operand(id)}:${directory}`];
  const process = podman.start(args, { withInput: true, signal });
  feed(process.stdin, archive);
  process.stdout.resume();
  const [stderr, code] = await Promise.all([textOfStream(process.stderr, STDERR_LIMIT), process.exit]);
  if (code !== 0) throw podmanFailure(stderr, { id: directory }, podman.secrets);
}

/** Uses a file, because podman opens /dev/stdout, which fails if it is a socket, as it is here. */
export async function exported(podman: Podman, id: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  const directory = await mkdtemp(join(tmpdir(), 'plumbline-export-'));
  const end = (): Promise<void> => rm(directory, { recursive: true, force: true });
  const file = join(directory, 'export.tar');
  await podman.run(['export', `--output=${file}`, id], { subject: { id }, signal }).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  return (async function* () {
    try {
      for await (const chunk of createReadStream(file)) yield chunk as Buffer; // No encoding is set.
    } finally {
      await end();
    }
  })();
}
