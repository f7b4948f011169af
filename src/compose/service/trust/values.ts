/** Tells values that reach for the server from those that do not. The values are in long syntax, with paths made absolute. */
import { isIP } from 'node:net';
import path from 'node:path';
import type { Json } from '../../model/node.js';
import type { Allowance } from './allowances.js';

/** The texts of a list; what is not a text is left out. */
export function textsOf(value: Json): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The keys of a mapping, or of a list of `KEY=value`. */
export function keysOf(value: Json): string[] {
  if (Array.isArray(value)) return textsOf(value).map((text) => text.split('=', 1)[0] ?? text);
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

/**
 * The namespaces of engines and of their tools. By such labels compose tools and Swarm recognize what is theirs, Podman
 * updates containers (`io.containers.autoupdate`) and restarts units of systemd (`PODMAN_SYSTEMD_UNIT`), and node agents
 * remove containers (`io.kubernetes.`). Docker reserves all of `com.docker.`, `io.docker.` and `org.dockerproject.`.
 * Labels of programs that an operator can run beside the engine, such as `traefik.`, are conventions and are allowed.
 */
export function isReservedLabel(label: string): boolean {
  return /^\s*(?:com\.docker\.|io\.docker\.|org\.dockerproject\.|desktop\.docker\.io\/|io\.plumbline\.|io\.podman\.|io\.containers\.|io\.buildah\.|io\.kubernetes\.|podman_)/i.test(
    label,
  );
}

/** Namespaces of the container itself or of a service of the same project are allowed. */
export function namespaceNeed(value: Json): Allowance | undefined {
  const mode = typeof value === 'string' ? value : '';
  if (['', 'none', 'private', 'default', 'bridge', 'shareable', 'auto'].includes(mode)) return undefined;
  if (mode.startsWith('service:')) return undefined;
  return mode.startsWith('container:') ? 'other-projects' : 'host-namespaces';
}

/** Decides like `namespaceNeed`; the engine's own bridge has containers of others on it. */
export function networkModeNeed(value: Json): Allowance | undefined {
  const isShared = typeof value === 'string' && ['bridge', 'default'].includes(value);
  return isShared ? 'other-projects' : namespaceNeed(value);
}

/** Engines split targets at these characters: what follows would be another mount or option. */
export function isUnsafeTarget(value: Json): boolean {
  return typeof value !== 'string' || /[:,]/.test(value);
}

/** A way out of the volume, or a part that Podman would read as another option. */
export function isUnsafeSubpath(value: Json): boolean {
  return isUnsafeTarget(value) || isOutsidePath(value);
}

/** A text, or one of several, that Podman would read as several options of a network. */
export function isUnsafePart(value: Json): boolean {
  const parts = Array.isArray(value) ? value : [value];
  return parts.some((part: Json) => typeof part !== 'string' || part.includes(','));
}

/** Podman takes a path in the place of the name for a directory of the server. */
export function isNoVolumeName(value: Json): boolean {
  return typeof value !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(value);
}

/** Names that engines give to networks of the host, or that are modes and not networks. */
export function networkNameNeed(value: Json): Allowance | undefined {
  const name = typeof value === 'string' ? value.toLowerCase() : '';
  const isMode = ['host', 'none', 'bridge', 'default', 'private', 'pasta', 'slirp4netns', 'ns'].includes(name);
  return isMode || !/^[a-z0-9][a-z0-9_.-]*$/.test(name) ? 'host-namespaces' : undefined;
}

const plainLogOptions = new Set([
  'max-size',
  'max-file',
  'max-buffer-size',
  'compress',
  'mode',
  'labels',
  'env',
  'tag',
]);

export function logOptionNeed(value: Json): Allowance | undefined {
  const values = Array.isArray(value) ? textsOf(value) : Object.values(value ?? {});
  // Podman takes what follows a comma for another option.
  const hasSeveral = values.some((text: Json) => typeof text === 'string' && /[",\r\n]/.test(text));
  return hasSeveral || keysOf(value).some((option) => !plainLogOptions.has(option)) ? 'plugins' : undefined;
}

/** `80`, `8000-8010`; ports that the engine chooses have no number or are 0. */
export function publishesLowPort(value: Json): boolean {
  const range = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const [first = 0, last = first] = range.split('-').map(Number);
  return last > 0 && first < 1024;
}

/** An address of this machine, or none: other texts could hold ports. */
export function isNoAddress(value: Json): boolean {
  return typeof value !== 'string' || (value !== '' && isIP(value.replace(/^\[(.*)\]$/, '$1')) === 0);
}

/** Contexts that the engine fetches or has. Addresses that SSH keys of the server open are none of them. */
const remote = /^(?:https?:\/\/|git:\/\/|github\.com\/|service:|docker-image:\/\/)/;

const transport =
  /^(?:oci|oci-archive|docker-archive|docker-daemon|dir|containers-storage|ostree|sif|tarball|atomic):/i;

/** Is a build context a directory of the server? The one of the project is empty. */
export function isBuildDirectory(value: Json, directory: string): boolean {
  if (typeof value !== 'string') return true;
  const image = /^docker-image:\/\/(.*)/s.exec(value)?.[1];
  if (image !== undefined) return transport.test(image); // Podman's builds read such an image from a file of the server
  return value !== directory && !remote.test(value);
}

/** Is one of several build contexts a directory of the server? */
export function hasBuildDirectory(value: Json, directory: string): boolean {
  const contexts = Array.isArray(value)
    ? textsOf(value).map((text) => text.slice(text.indexOf('=') + 1))
    : Object.values(value ?? {});
  // An engine may split `name=context` at another place than we do.
  if (keysOf(value).some((name) => !/^[\w./:@-]+$/.test(name))) return true;
  return contexts.some((context: Json) => isBuildDirectory(context, directory));
}

/** Podman takes such a name for a file of the server, which it reads, or writes when it is the name of a new image. */
export function isImageOfServer(image: string): boolean {
  // Escapes and variables could stand for a transport; no name of an image has them.
  return transport.test(image) || /[\\`$]/.test(image) || /:[/.~]/.test(image.replace(/^docker:\/\//i, ''));
}

/**
 * Does a Dockerfile take an image from a file of the server? Podman's builds know such addresses. The value of
 * a variable is unknown.
 */
export function hasImageOfServer(value: Json): boolean {
  if (typeof value !== 'string') return true;
  const text = value
    .replaceAll(/^[^\S\n]*#.*(?:\n|$)/gm, '') // builders skip comments also amid a continued line
    .replaceAll(/[\\`][ \t]*\r?\n/g, ' ')
    .replaceAll(/["']/g, '');
  const images = [
    ...text.matchAll(/^[^\S\n]*FROM\s+(?:--\S+\s+)*(\S+)/gim),
    ...text.matchAll(/\bfrom=([^\s,]+)/gi),
  ].map(([, image]) => image ?? '');
  return images.some(isImageOfServer);
}

/** A path that is absolute, or leads out of the directory that it starts at. */
export function isOutsidePath(value: Json): boolean {
  const file = typeof value === 'string' ? path.posix.normalize(value) : '/';
  return path.posix.isAbsolute(file) || file === '..' || file.startsWith('../');
}

/** `type=local,src=/cache` */
export function isLocalCache(value: Json): boolean {
  return textsOf(value).some(
    (text) => transport.test(text) || /(?:^|,)\s*type\s*=\s*(?!registry\b|inline\b|gha\b)/.test(text),
  );
}

const tmpfsOptions =
  /^(?:(?:size|mode|uid|gid|nr_inodes)=\w+%?|noexec|nosuid|nodev)(?:,(?:(?:size|mode|uid|gid|nr_inodes)=\w+%?|noexec|nosuid|nodev))*$/;

/** Options of a volume in memory. Others make the kernel mount what they name: `o: bind` does whatever the type is. */
export function isTmpfs(value: Json): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { type, device, o = 'nodev', ...others } = value as Readonly<Record<string, Json>>;
  const isInMemory = type === 'tmpfs' && device === 'tmpfs' && Object.keys(others).length === 0;
  return isInMemory && typeof o === 'string' && tmpfsOptions.test(o);
}
