/** Copies files from and to containers through the Engine API. */
import { Readable } from 'node:stream';
import { chunksOf, type EngineClient } from './client.js';
import { segment } from './requests.js';

export async function archiveOf(
  client: EngineClient,
  id: string,
  path: string,
  signal?: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const request = { method: 'GET', path: `/containers/${segment(id)}/archive`, query: { path }, signal } as const;
  return chunksOf(client, await client.stream({ id: path }, request), signal);
}

export async function putArchive(
  client: EngineClient,
  id: string,
  directory: string,
  archive: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<void> {
  const query = { path: directory, noOverwriteDirNonDir: 'true' };
  const reply = await client.stream(
    { id: directory },
    {
      method: 'PUT',
      path: `/containers/${segment(id)}/archive`,
      query,
      body: Readable.from(archive, { objectMode: false }),
      signal,
    },
  );
  reply.resume();
}
