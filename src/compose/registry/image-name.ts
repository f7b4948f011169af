import { nameAndTag, qualifyImage } from '../runtime/image-reference.js';
import { RegistryError } from './errors.js';

/** What the name of an image, or of another artifact in a registry, consists of. */
export interface ImageName {
  /** The host, with a port if it is not the usual one: `docker.io`, `localhost:5000`. */
  readonly registry: string;
  readonly repository: string;
  /** Absent beside a digest, which it would not change. */
  readonly tag?: string;
  readonly digest?: string;
}

const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const REGISTRY = new RegExp(String.raw`^(?:${LABEL}(?:\.${LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$`);
const REPOSITORY = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const LONGEST_REPOSITORY = 255;

/** The digests of manifests and layers. */
export const DIGEST = /^sha256:[0-9a-f]{64}$/;

/**
 * Reads a name by the grammar of distribution/reference, with the defaults of Docker.
 *
 * @throws RegistryError.invalidName
 */
export function parseImageName(text: string): ImageName {
  const [named = '', digest] = qualifyImage(text).split('@');
  const slash = named.indexOf('/');
  const registry = named.slice(0, slash).replace(/^index\.docker\.io$/, 'docker.io');
  const [repository = '', tag] = nameAndTag(named.slice(slash + 1));
  const isValid =
    REGISTRY.test(registry) &&
    REPOSITORY.test(repository) &&
    repository.length <= LONGEST_REPOSITORY &&
    (tag === undefined || TAG.test(tag)) &&
    (digest === undefined || DIGEST.test(digest));
  if (!isValid) throw new RegistryError('invalidName', `'${text}' is not the name of an image in a registry.`);
  if (digest !== undefined) return { registry, repository, digest };
  return { registry, repository, tag: tag ?? 'latest' };
}

/** The whole name as engines take it: `docker.io/library/alpine:3@sha256:...`. */
export function imageNameText({ registry, repository, tag, digest }: ImageName): string {
  return `${registry}/${repository}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
}
