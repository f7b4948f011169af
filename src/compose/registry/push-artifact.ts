import type { ComposeArtifact } from './compose-artifact.js';
import type { Content } from './descriptor.js';
import { RegistryError } from './errors.js';
import type { Registry } from './registry.js';

/**
 * Uploads the parts that the registry does not have, then the manifest under the tag of the registry's name.
 *
 * @throws RegistryError; `refused` if the registry does not take the manifest
 */
export async function pushArtifact(registry: Registry, { config, layers, manifest }: ComposeArtifact): Promise<void> {
  for (const content of [config, ...layers]) await pushBlob(registry, content);
  await registry.send(
    {
      method: 'PUT',
      path: `manifests/${registry.name.tag ?? 'latest'}`,
      headers: { 'content-type': manifest.mediaType },
      body: manifest.bytes,
    },
    [201],
  );
}

async function pushBlob(registry: Registry, { digest, bytes }: Content): Promise<void> {
  const { reply: head } = await registry.send({ method: 'HEAD', path: `blobs/${digest}` }, [200, 404]);
  if (head.status === 200) return;
  const { reply, url } = await registry.send({ method: 'POST', path: 'blobs/uploads/' }, [202]);
  const location = reply.headers.get('location') ?? '';
  if (location === '' || !URL.canParse(location, url.href)) {
    throw new RegistryError('invalidReply', `${registry.name.registry} does not say where to upload to.`);
  }
  const upload = new URL(location, url);
  upload.searchParams.set('digest', digest);
  const headers = { 'content-type': 'application/octet-stream' };
  await registry.send({ method: 'PUT', path: upload.href, headers, body: bytes }, [201]);
}
