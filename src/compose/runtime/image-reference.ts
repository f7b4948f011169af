/**
 * Resolves short image names, such as `alpine` or `team/app:2`, to a default registry. All engines follow the rule of
 * distribution/reference: the first part of a name is a registry if it contains a dot or a colon, or is `localhost`.
 */

const DEFAULT_REGISTRY = 'docker.io';

/**
 * The full name: registry, `library/` for official images, and `:latest` if there is neither tag nor digest. An image
 * id (`sha256:...`) is returned unchanged.
 */
export function qualifyImage(reference: string, registry: string = DEFAULT_REGISTRY): string {
  if (/^sha256:[0-9a-f]{64}$/.test(reference)) return reference;
  const slash = reference.indexOf('/');
  const first = slash === -1 ? '' : reference.slice(0, slash);
  const named = /[.:]/.test(first) || first === 'localhost';
  const whole = named ? reference : `${registry}/${slash === -1 ? 'library/' : ''}${reference}`;
  return hasTagOrDigest(whole) ? whole : `${whole}:latest`;
}

/** `registry:5000/app:2` to `['registry:5000/app', '2']`. A digest belongs to the name. */
export function nameAndTag(reference: string | undefined): [name: string | undefined, tag: string | undefined] {
  if (reference === undefined || reference.includes('@')) return [reference, undefined];
  const colon = reference.lastIndexOf(':');
  if (colon === -1 || reference.includes('/', colon)) return [reference, undefined];
  return [reference.slice(0, colon), reference.slice(colon + 1)];
}

/**
 * Podman reads some names as local files, such as `dir:/etc` or `oci-archive:/tmp/image.tar`
 * (containers-transports(5)). `docker:24` is an image; only `docker://` is a transport.
 */
export function hasTransport(reference: string): boolean {
  return /^(?:docker:\/\/|(?:dir|docker-archive|docker-daemon|oci|oci-archive|ostree|sif|containers-storage|tarball):)/.test(
    reference,
  );
}

function hasTagOrDigest(reference: string): boolean {
  return reference.includes('@') || reference.slice(reference.lastIndexOf('/')).includes(':');
}
