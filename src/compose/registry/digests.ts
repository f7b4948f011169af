/** Digests of images, from their registries. */
import { inDependencyOrder } from '../orchestrator/ordered.js';
import { digestOfBytes } from './descriptor.js';
import { RegistryError } from './errors.js';
import { DIGEST, imageNameText, parseImageName, type ImageName } from './image-name.js';
import { openRegistry, type RegistryOptions } from './registry.js';

/** An index comes before a manifest, so that the digest is the same on every platform. */
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

const PARALLEL = 8;

/**
 * Pins images to what their tags mean now: `alpine:3` becomes `docker.io/library/alpine:3@sha256:...`. An image that
 * has a digest is not asked for.
 *
 * @returns the pinned name of each image
 * @throws RegistryError
 */
export async function pinImages(
  images: readonly string[],
  options: Omit<RegistryOptions, 'actions'>,
): Promise<ReadonlyMap<string, string>> {
  const pinned = new Map<string, string>();
  const pinOne = async (image: string, signal: AbortSignal): Promise<void> => {
    pinned.set(image, await pin(image, { ...options, signal }));
  };
  await inDependencyOrder([...new Set(images)], () => [], pinOne, { signal: options.signal, limit: PARALLEL });
  return pinned;
}

async function pin(image: string, options: Omit<RegistryOptions, 'actions'>): Promise<string> {
  const name = parseImageName(image);
  if (name.digest !== undefined) return imageNameText(name);
  return imageNameText({ ...name, digest: await digestOf(name, options) });
}

/** A HEAD request does not count as a pull where pulls are limited. */
async function digestOf(name: ImageName, options: Omit<RegistryOptions, 'actions'>): Promise<string> {
  const registry = openRegistry(name, { ...options, actions: 'pull' });
  const path = `manifests/${name.tag ?? name.digest ?? ''}`;
  const headers = { accept: MANIFESTS };
  const { reply } = await registry.send({ method: 'HEAD', path, headers }, [200]);
  const digest = reply.headers.get('docker-content-digest');
  if (digest === null) {
    const { reply: whole } = await registry.send({ method: 'GET', path, headers }, [200]);
    return digestOfBytes(new Uint8Array(await whole.arrayBuffer()));
  }
  if (DIGEST.test(digest)) return digest;
  throw new RegistryError('invalidReply', `${name.registry} sent a digest for ${imageNameText(name)} that is none.`);
}
