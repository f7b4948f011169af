/** Converts a service to the specification of one of its containers. */
import path from 'node:path';
import type { Project } from '../../model/project.js';
import type { Healthcheck, Service } from '../../model/service.js';
import type { ContainerSpec, Healthcheck as HealthcheckSpec, RestartPolicy } from '../../runtime/spec.js';
import { sharedNamespace, type Circumstances } from './circumstances.js';
import { given } from './given.js';
import { deviceSettings, limits, memoryBytes } from './limits.js';
import { containerMounts } from './mounts.js';
import { networking } from './networking.js';

/**
 * The specification of one container.
 *
 * @throws ComposeFailure for settings that no backend supports
 */
export function containerSpec(project: Project, serviceName: string, circumstances: Circumstances): ContainerSpec {
  const service = project.services[serviceName] ?? {};
  const { name, labels, image, containerOf } = circumstances;
  const shared = (mode: string | undefined): string | undefined => sharedNamespace(mode, containerOf);
  return {
    name,
    image,
    labels: { ...service.labels, ...labels },
    environment: Object.fromEntries(
      Object.entries(service.environment ?? {}).filter((entry): entry is [string, string] => entry[1] !== null),
    ),
    ...processSettings(service),
    ...given('mounts', containerMounts(project, serviceName)),
    ...given('volumesFrom', volumesFrom(service, containerOf)),
    ...networking(project, serviceName, circumstances),
    ...given('healthcheck', service.healthcheck && healthcheck(service.healthcheck)),
    ...given('restart', restartPolicy(service)),
    ...given('pidMode', shared(service.pid)),
    ...given('ipcMode', shared(service.ipc)),
    ...given('utsMode', shared(service.uts)),
    ...given('cgroupNamespaceMode', service.cgroup),
    ...isolation(service, project.workingDirectory),
    ...given('logging', service.logging && { ...service.logging }),
    ...deviceSettings(service),
    resources: limits(service),
  };
}

function processSettings(service: Service): Partial<ContainerSpec> {
  return {
    ...given('platform', service.platform),
    ...given('command', service.command),
    ...given('entrypoint', service.entrypoint),
    ...given('user', service.user),
    ...given('groups', service.group_add),
    ...given('workingDirectory', service.working_dir),
    ...given('stopSignal', service.stop_signal),
    ...given('tty', service.tty),
    ...given('openStdin', service.stdin_open),
    ...given('init', service.init),
    ...given('annotations', service.annotations),
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
    ...given('readOnly', service.read_only),
    ...given('privileged', service.privileged),
    ...given('capAdd', service.cap_add),
    ...given('capDrop', service.cap_drop),
    ...given(
      'securityOptions',
      service.security_opt?.map((option) => securityOption(option, directory)),
    ),
    ...given('sysctls', service.sysctls),
    ...given('userNamespaceMode', service.userns_mode),
    ...given('cgroupParent', service.cgroup_parent),
    ...given('ociRuntime', service.runtime),
    ...given('storageOptions', service.storage_opt),
    ...given('shmSizeBytes', service.shm_size === undefined ? undefined : memoryBytes(service.shm_size)),
    ...given(
      'ulimits',
      service.ulimits &&
        Object.fromEntries(
          Object.entries(service.ulimits).map(([name, limit]) => [
            name,
            typeof limit === 'number' ? { soft: limit, hard: limit } : { soft: limit.soft, hard: limit.hard },
          ]),
        ),
    ),
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
    ...given('intervalMs', ms(check.interval)),
    ...given('timeoutMs', ms(check.timeout)),
    ...given('retries', check.retries),
    ...given('startPeriodMs', ms(check.start_period)),
    ...given('startIntervalMs', ms(check.start_interval)),
  };
}

/** `restart`, else the policy of `deploy.restart_policy`. */
export function restartPolicy(service: Service): RestartPolicy | undefined {
  if (service.restart !== undefined) {
    const [name = '', retries] = service.restart.split(':');
    if (name === 'always' || name === 'unless-stopped' || name === 'no') return { name };
    return { name: 'on-failure', ...given('maximumRetries', retries === undefined ? undefined : Number(retries)) };
  }
  const policy = service.deploy?.restart_policy;
  if (policy === undefined) return undefined;
  if (policy.condition === 'none') return { name: 'no' };
  if (policy.condition === 'on-failure') return { name: 'on-failure', ...given('maximumRetries', policy.max_attempts) };
  return { name: 'always' };
}

function volumesFrom(service: Service, containerOf: Circumstances['containerOf']): string[] | undefined {
  return service.volumes_from?.map((entry) => {
    if (entry.startsWith('container:')) return entry.slice('container:'.length);
    const [name = '', ...access] = entry.split(':');
    return [containerOf(name), ...access].join(':');
  });
}
