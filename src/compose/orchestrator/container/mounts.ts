/** A container's mounts: volumes, host paths, and the project's secret and config files. */
import { failure } from '../../model/errors.js';
import type { Project } from '../../model/project/project.js';
import type { BindOptions, Mount as ServiceMount } from '../../model/project/service.js';
import type { FileReference } from '../../model/project/shared-fields.js';
import type { Mount } from '../../runtime/spec.js';
import { optionalField } from './optional-field.js';
import { memoryBytes } from './limits.js';

/** @throws ComposeFailure ComposeValidationError.unsupported for a mount type that no backend supports */
export function containerMounts(project: Project, serviceName: string): Mount[] {
  const service = project.services[serviceName] ?? {};
  return [
    ...(service.volumes ?? []).map((mount, index) => volumeMount(project, serviceName, mount, index)),
    ...(service.tmpfs ?? []).map(tmpfsMount),
    ...mountedFiles(project, serviceName),
  ];
}

/** A secret or config granted to a service: the reference and its definition. */
export interface GivenFile {
  readonly section: 'secrets' | 'configs';
  readonly reference: FileReference;
  readonly target: string;
  /** Absolute path on the host; absent if the content is not in a file. */
  readonly file?: string;
}

/** Secrets are mounted below `/run/secrets`, configs at `/<name>`, unless a target is set. */
export function givenFiles(project: Project, serviceName: string): GivenFile[] {
  const service = project.services[serviceName] ?? {};
  const secrets = (service.secrets ?? []).map((reference): GivenFile => {
    const target = reference.target ?? reference.source;
    return {
      section: 'secrets',
      reference,
      target: target.startsWith('/') ? target : `/run/secrets/${target}`,
      ...optionalField('file', project.secrets[reference.source]?.file),
    };
  });
  const configs = (service.configs ?? []).map((reference): GivenFile => ({
    section: 'configs',
    reference,
    target: reference.target ?? `/${reference.source}`,
    ...optionalField('file', project.configs[reference.source]?.file),
  }));
  return [...secrets, ...configs];
}

/**
 * A mounted file keeps its owner and permissions. If others are requested, the file is copied into the container
 * instead.
 */
export function isMounted({ file, reference: { uid, gid, mode } }: GivenFile): boolean {
  return file !== undefined && uid === undefined && gid === undefined && mode === undefined;
}

function mountedFiles(project: Project, serviceName: string): Mount[] {
  return givenFiles(project, serviceName)
    .filter(isMounted)
    .map(({ file = '', target }) => ({ type: 'bind', source: file, target, readOnly: true }));
}

function volumeMount(project: Project, service: string, mount: ServiceMount, index: number): Mount {
  const { target, source } = mount;
  const readOnly = optionalField('readOnly', mount.read_only);
  switch (mount.type) {
    case 'bind':
      return { type: 'bind', source: source ?? '', target, ...readOnly, ...bindOptions(mount.bind ?? {}) };
    case 'volume':
      return {
        type: 'volume',
        ...optionalField('source', source === undefined ? undefined : (project.volumes[source]?.name ?? source)),
        target,
        ...readOnly,
        ...optionalField('noCopy', mount.volume?.nocopy),
        ...optionalField('subpath', mount.volume?.subpath),
      };
    case 'tmpfs':
      return {
        type: 'tmpfs',
        target,
        ...readOnly,
        ...optionalField('sizeBytes', mount.tmpfs?.size === undefined ? undefined : memoryBytes(mount.tmpfs.size)),
        ...optionalField('mode', mount.tmpfs?.mode),
      };
    case 'image':
      return { type: 'image', source: source ?? '', target, ...optionalField('subpath', mount.image?.subpath) };
    case 'cluster':
    case 'npipe':
      throw failure('ComposeValidationError', 'unsupported', {
        path: ['services', service, 'volumes', index],
        reason: `no backend mounts the type '${mount.type}'`,
      });
  }
}

const PROPAGATIONS = ['private', 'rprivate', 'shared', 'rshared', 'slave', 'rslave'] as const;

function bindOptions({ create_host_path: createHostPath = true, propagation, selinux }: BindOptions): Partial<Mount> {
  return {
    createHostPath,
    ...optionalField(
      'propagation',
      PROPAGATIONS.find((known) => known === propagation),
    ),
    ...optionalField('selinux', selinux),
  };
}

/** `/run:size=64m,mode=1777,ro` */
function tmpfsMount(entry: string): Mount {
  const [target = '', options = ''] = entry.split(':');
  const settings = new Map(
    options.split(',').map((option) => {
      const [key = '', value = ''] = option.split('=');
      return [key, value];
    }),
  );
  const size = settings.get('size');
  const mode = settings.get('mode');
  return {
    type: 'tmpfs',
    target,
    ...optionalField('sizeBytes', size === undefined ? undefined : memoryBytes(size)),
    ...optionalField('mode', mode === undefined ? undefined : Number.parseInt(mode, 8)),
    ...optionalField('readOnly', settings.has('ro') ? true : undefined),
  };
}
