/** Identifies the repository of a record. A clone and its remote have the same id. */
import { createHash } from 'node:crypto';

/** A repository's identity, before it is combined with an organization. */
export interface Identity {
  /** `host/owner/name` in lower case, or `file:` and the absolute path if there is no remote. */
  readonly identity: string;
  /** The display name: `owner/name`, or the directory's name. */
  readonly name: string;
}

const DIRECTORY = 'file:';

/**
 * The identity of a remote address, or undefined if it names no host (a path, a bundle). `git@host:owner/name.git`,
 * `ssh://git@host:22/owner/name`, `https://user:secret@host/owner/name/` and `git://host/owner/name` are all
 * `host/owner/name`. Owner and name are case-insensitive, as on both hosts.
 *
 * @param remote the address as git or a host returns it; its credentials are dropped
 */
export function identityOfRemote(remote: string): Identity | undefined {
  const located = locate(remote.trim());
  if (located === undefined) return undefined;
  const name = located.path
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/i, '')
    .replace(/\/+$/, '')
    .replace(/\/{2,}/g, '/');
  if (name === '' || located.host === '') return undefined;
  // `ssh.github.com` and `altssh.gitlab.com` are ssh endpoints of the same hosts, for clients behind firewalls.
  const host = located.host.toLowerCase().replace(/^(www|ssh|altssh)\.(?=[^.]+\.[^.]+$)/, '');
  return { identity: `${host}/${name.toLowerCase()}`, name };
}

/** The address of a repository with this identity of a remote: it has neither credentials nor parameters. */
export function addressOf({ identity, name }: Identity): string {
  const host = identity.slice(0, identity.length - name.length - 1);
  return `https://${host}/${name.split('/').map(encodeURIComponent).join('/')}`;
}

/** The identity of a repository without a remote: its directory. */
export function identityOfPath(absolutePath: string): Identity {
  const clean = absolutePath.replace(/\/+$/, '').replace(/\/\.git$/, '') || '/';
  const name = clean.slice(clean.lastIndexOf('/') + 1).replace(/\.git$/, '');
  return { identity: `${DIRECTORY}${clean}`, name: name === '' ? 'repository' : name };
}

/** Whether a repository is known by its path, because it has no remote. */
export function isOfDirectory({ identity }: Identity): boolean {
  return identity.startsWith(`${DIRECTORY}/`);
}

/**
 * The name under which a repository is stored. A directory without a remote has as many of the folders above it in its
 * name as it needs to differ from the other repositories. A stored name stays as long as no other repository has it.
 *
 * @param stored the name that it has so far
 * @param others the names of the organization's other repositories
 */
export function distinctName(repository: Identity, stored: string | undefined, others: ReadonlySet<string>): string {
  const { identity, name } = repository;
  if (!isOfDirectory(repository)) return name;
  const path = identity.slice(DIRECTORY.length);
  const folders = path.split('/').slice(1, -1);
  const longer = folders.map((_, index) => [...folders.slice(index), name].join('/')).toReversed();
  const names = [name, ...longer, path];
  return [...names.filter((each) => each === stored), ...names].find((each) => !others.has(each)) ?? path;
}

/**
 * The id of a repository within an organization: a UUID of version 8 (RFC 9562, section 5.8) derived from a SHA-256. So
 * a repository has the same id on every machine, and two organizations never share a row.
 */
export function repositoryId(orgId: string, identity: string): string {
  const bytes = createHash('sha256').update(`${orgId}\0${identity}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The remote without credentials, for storage and display. */
export function withoutCredentials(remote: string): string {
  return remote.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1');
}

function locate(remote: string): { readonly host: string; readonly path: string } | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(remote)) {
    if (/^file:/i.test(remote) || !URL.canParse(remote)) return undefined;
    const url = new URL(remote);
    const port = url.port === '' || isUsualPort(url.protocol, url.port) ? '' : `:${url.port}`;
    return { host: `${url.hostname}${port}`, path: decoded(url.pathname) };
  }
  // The scp form has no slash before its colon; a single letter before the colon is a Windows drive.
  const scp = /^(?:[^@/\s]+@)?(\[[^\]]+\]|[^:/\s]{2,}):(?!\/\/)(.+)$/.exec(remote);
  return scp?.[1] === undefined || scp[2] === undefined ? undefined : { host: scp[1], path: scp[2] };
}

/** An ssh port does not identify the server; a non-default web port does. */
function isUsualPort(protocol: string, port: string): boolean {
  return /^(ssh|git\+ssh|ssh\+git):$/.test(protocol) || (protocol === 'git:' && port === '9418');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
