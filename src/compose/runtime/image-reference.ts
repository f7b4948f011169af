/**
 * Short image names, as `alpine` or `team/app:2`, stand for images of a default registry. The rule is the one
 * that every engine follows (distribution/reference): the first part of a name is a registry if it has a dot
 * or a colon, or is `localhost`.
 */

export const DEFAULT_REGISTRY = 'docker.io';

/**
 * The whole name: registry, `library/` for official images, and `:latest` where neither tag nor digest is given.
 * An image id (`sha256:...`) is its own name.
 */
export function qualifyImage(reference: string, registry: string = DEFAULT_REGISTRY): string {
  if (/^sha256:[0-9a-f]{64}$/.test(reference)) return reference;
  const slash = reference.indexOf('/');
  const first = slash === -1 ? '' : reference.slice(0, slash);
  const named = /[.:]/.test(first) || first === 'localhost';
  const whole = named ? reference : `${registry}/${slash === -1 ? 'library/' : ''}${reference}`;
  return hasTagOrDigest(whole) ? whole : `${whole}:latest`;
}

/**
 * Podman reads some names as files of this machine, such as `dir:/etc` or `oci-archive:/tmp/image.tar`
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
