/** A build as a file of `docker buildx bake`: standard input carries everything, so no other user sees any of it. */
import { resolve } from 'node:path';
import type { BuildSpec } from '../../spec.js';

/** The keys are those of the file, in the order of docker compose. */
export interface BakeTarget {
  readonly context: string;
  readonly contexts?: Readonly<Record<string, string>>;
  readonly dockerfile?: string;
  readonly 'dockerfile-inline'?: string;
  readonly args?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly 'cache-from'?: readonly string[];
  readonly 'cache-to'?: readonly string[];
  readonly target?: string;
  readonly secret?: readonly string[];
  readonly ssh?: readonly string[];
  readonly platforms?: readonly string[];
  readonly pull?: true;
  readonly 'no-cache'?: true;
  readonly network?: string;
  readonly 'no-cache-filter'?: readonly string[];
  readonly 'shm-size'?: string;
  readonly ulimits?: readonly string[];
  readonly call?: 'lint';
  readonly entitlements?: readonly string[];
  readonly 'extra-hosts'?: Readonly<Record<string, string>>;
  readonly output?: readonly string[];
  readonly attest?: readonly string[];
}

export interface BakeFile {
  readonly group: Readonly<Record<'default', { readonly targets: readonly string[] }>>;
  readonly target: Readonly<Record<string, BakeTarget>>;
}

export function bakeTarget(spec: BuildSpec): BakeTarget {
  const [image, ...otherTags] = spec.tags;
  const target: Partial<BakeTarget> & Pick<BakeTarget, 'context'> = {
    context: spec.context,
    ...filled('contexts', spec.additionalContexts),
    ...(spec.dockerfile !== undefined && { dockerfile: resolve(spec.context, spec.dockerfile) }),
    ...(spec.dockerfileInline !== undefined && { 'dockerfile-inline': spec.dockerfileInline }),
    ...filled('args', spec.buildArguments),
    ...filled('labels', spec.labels),
    ...filled('tags', image === undefined ? [] : [...otherTags, image]),
    ...filled('cache-from', spec.cacheFrom),
    ...filled('cache-to', spec.cacheTo),
    ...(spec.target !== undefined && { target: spec.target }),
    ...filled(
      'secret',
      spec.secrets?.map((secret) =>
        'path' in secret
          ? record(`id=${secret.id}`, 'type=file', `src=${secret.path}`)
          : record(`id=${secret.id}`, 'type=env', `env=${secret.variable}`),
      ),
    ),
    ...filled('ssh', spec.ssh),
    ...filled('platforms', spec.platforms),
    ...(spec.pull === true && { pull: true }),
    ...(spec.noCache === true && { 'no-cache': true }),
    ...(spec.network !== undefined && { network: spec.network }),
    ...filled('no-cache-filter', spec.noCacheFilter),
    ...(spec.shmSizeBytes !== undefined && { 'shm-size': String(spec.shmSizeBytes) }),
    ...filled(
      'ulimits',
      Object.entries(spec.ulimits ?? {}).map(([name, { soft, hard }]) =>
        soft === hard ? `${name}=${soft}` : `${name}=${soft}:${hard}`,
      ),
    ),
    ...(spec.check === true && { call: 'lint' }),
    ...filled('entitlements', entitlementsOf(spec)),
    ...filled('extra-hosts', hostsOf(spec)),
    ...filled('output', spec.check === true ? [] : [outputOf(spec)]),
    ...filled('attest', [...attestation('provenance', spec.provenance), ...attestation('sbom', spec.sbom)]),
  };
  return escaped(target);
}

/** `security.insecure` of `privileged`, and the entitlements of the file. */
export function entitlementsOf({ entitlements = [], privileged = false }: BuildSpec): readonly string[] {
  return privileged ? [...new Set([...entitlements, 'security.insecure'])] : entitlements;
}

function outputOf({ platforms = [], push = false }: BuildSpec): string {
  if (platforms.length > 1) return `type=image,push=${String(push)}`;
  return push ? 'type=registry' : 'type=docker';
}

function attestation(type: string, setting: string | undefined): string[] {
  if (setting === undefined) return [];
  if (setting === 'true') return [`type=${type}`];
  return [setting === 'false' ? `type=${type},disabled=true` : `type=${type},${setting}`];
}

function hostsOf({ extraHosts = [] }: BuildSpec): Record<string, string> {
  const hosts: Record<string, string> = {};
  for (const { host, address } of extraHosts) {
    const before = hosts[host];
    hosts[host] = before === undefined ? address : `${before},${address}`;
  }
  return hosts;
}

/** BuildKit reads such settings as a record of CSV. */
function record(...fields: readonly string[]): string {
  return fields.map((field) => (/[",\n\r]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',');
}

function filled<K extends keyof BakeTarget>(
  key: K,
  value: BakeTarget[K] & (readonly string[] | Readonly<Record<string, string>> | undefined),
): Partial<BakeTarget> {
  return value === undefined || Object.keys(value).length === 0 ? {} : { [key]: value };
}

/** Bake evaluates `${…}` and `%{…}` in every text. Keys are not evaluated. */
function escaped<T>(value: T): T;
function escaped(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/[$%](?=\{)/g, (sign) => sign + sign);
  if (Array.isArray(value)) return value.map((each: unknown) => escaped(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, escaped(each)]));
}
