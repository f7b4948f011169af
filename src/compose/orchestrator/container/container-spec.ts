/** Converts a service to the specification of one of its containers. */
import path from 'node:path';
import type { Project } from '../../model/project/project.js';
import type { Healthcheck, Service } from '../../model/project/service.js';
import type { ContainerSpec, Healthcheck as HealthcheckSpec, RestartPolicy } from '../../runtime/spec.js';
import { sharedNamespace, type CreationContext } from './creation-context.js';
import { optionalField } from './optional-field.js';
import { deviceSettings, limits, memoryBytes, ulimits } from './limits.js';
import { containerMounts } from './mounts.js';
import { networking } from './networking.js';

/**
 * The specification of one container.
 *
 * @throws ComposeFailure for settings that no backend supports
 */
export function containerSpec(project: Project, serviceName: string, context: CreationContext): ContainerSpec {
  const service = project.services[serviceName] ?? {};
  const { name, labels, image, containerOf } = context;
  const shared = (mode: string | undefined): string | undefined => sharedNamespace(mode, containerOf);
  return {
    name,
    image,
    labels: { ...service.labels, ...labels },
    ...environment(service),
    ...processSettings(service),
    ...optionalField('mounts', containerMounts(project, serviceName)),
    ...optionalField('volumesFrom', volumesFrom(service, containerOf)),
    ...networking(project, serviceName, context),
    ...optionalField('healthcheck', service.healthcheck && healthcheck(service.healthcheck)),
    ...optionalField('restart', restartPolicy(service)),
    ...optionalField('pidMode', shared(service.pid)),
    ...optionalField('ipcMode', shared(service.ipc)),
    ...optionalField('utsMode', shared(service.uts)),
    ...optionalField('cgroupNamespaceMode', service.cgroup),
    ...isolation(service, project.workingDirectory),
    ...optionalField('logging', service.logging && { ...service.logging }),
    ...deviceSettings(service),
    resources: limits(service),
  };
}

/** A variable that is listed without a value, and that is not set here, is not set in the container either. */
function environment({ environment: variables = {} }: Service): Partial<ContainerSpec> {
  const entries = Object.entries(variables);
  const unset = entries.flatMap(([name, value]) => (value === null ? [name] : []));
  return {
    environment: Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null)),
    ...optionalField('unsetVariables', unset.length === 0 ? undefined : unset),
  };
}

function processSettings(service: Service): Partial<ContainerSpec> {
  return {
    ...optionalField('platform', service.platform),
    ...optionalField('command', service.command),
    ...optionalField('entrypoint', service.entrypoint),
    ...optionalField('user', service.user),
    ...optionalField('groups', service.group_add),
    ...optionalField('workingDirectory', service.working_dir),
    ...optionalField('stopSignal', service.stop_signal),
    ...optionalField('tty', service.tty),
    ...optionalField('openStdin', service.stdin_open),
    ...optionalField('init', service.init),
    ...optionalField('annotations', service.annotations),
  };
}

/** `seccomp` names a file relative to the project directory; `name:value` is the older form of `name=value`. */
function securityOption(option: string, directory: string): string {
  const [, file] = /^seccomp[=:](.*)$/s.exec(option) ?? [];
  if (file === undefined) return option;
  return `seccomp=${['unconfined', 'builtin'].includes(file) ? file : path.resolve(directory, file)}`;
}

function isolation(service: Service, directory: string): Partial<ContainerSpec> {
  return {
    ...optionalField('readOnly', service.read_only),
    ...optionalField('privileged', service.privileged),
    ...optionalField('capAdd', service.cap_add),
    ...optionalField('capDrop', service.cap_drop),
    ...optionalField(
      'securityOptions',
      service.security_opt?.map((option) => securityOption(option, directory)),
    ),
    ...optionalField('sysctls', service.sysctls),
    ...optionalField('userNamespaceMode', service.userns_mode),
    ...optionalField('cgroupParent', service.cgroup_parent),
    ...optionalField('ociRuntime', service.runtime),
    ...optionalField('storageOptions', service.storage_opt),
    ...optionalField('shmSizeBytes', service.shm_size === undefined ? undefined : memoryBytes(service.shm_size)),
    ...optionalField('ulimits', service.ulimits && ulimits(service.ulimits)),
  };
}

const NANOSECONDS_PER_MS = 1e6;

/** Durations are in nanoseconds. */
function healthcheck(check: Healthcheck): HealthcheckSpec | undefined {
  if (check.disable === true) return { test: ['NONE'] };
  if (check.test === undefined || check.test.length === 0) return undefined;
  const ms = (duration: number | undefined): number | undefined =>
    duration === undefined ? undefined : duration / NANOSECONDS_PER_MS;
  return {
    test: check.test,
    ...optionalField('intervalMs', ms(check.interval)),
    ...optionalField('timeoutMs', ms(check.timeout)),
    ...optionalField('retries', check.retries),
    ...optionalField('startPeriodMs', ms(check.start_period)),
    ...optionalField('startIntervalMs', ms(check.start_interval)),
  };
}

/** `restart`, else the policy of `deploy.restart_policy`. */
export function restartPolicy(service: Service): RestartPolicy | undefined {
  if (service.restart !== undefined) {
    const [name = '', retries] = service.restart.split(':');
    if (name === 'always' || name === 'unless-stopped' || name === 'no') return { name };
    return {
      name: 'on-failure',
      ...optionalField('maximumRetries', retries === undefined ? undefined : Number(retries)),
    };
  }
  const policy = service.deploy?.restart_policy;
  if (policy === undefined) return undefined;
  if (policy.condition === 'none') return { name: 'no' };
  if (policy.condition === 'on-failure')
    return { name: 'on-failure', ...optionalField('maximumRetries', policy.max_attempts) };
  return { name: 'always' };
}

function volumesFrom(service: Service, containerOf: CreationContext['containerOf']): string[] | undefined {
  return service.volumes_from?.map((entry) => {
    if (entry.startsWith('container:')) return entry.slice('container:'.length);
    const [name = '', ...access] = entry.split(':');
    return [containerOf(name), ...access].join(':');
  });
}
