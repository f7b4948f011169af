/** The container of a service. */
import { imageOf } from '../model/project/listings.js';
import type { Healthcheck, Service } from '../model/project/service.js';
import type { Hook } from '../model/project/workload.js';
import { limits } from '../orchestrator/container/limits.js';
import { optionalField } from '../orchestrator/container/optional-field.js';
import { portsOf } from './access.js';
import { nameOf, type Conversion } from './conversion.js';
import type { Container, Probe, SecurityContext, VolumeMount } from './manifests.js';

export function containerOf(conversion: Conversion, key: string, volumeMounts: readonly VolumeMount[]): Container {
  const { project } = conversion;
  const service = project.services[key] ?? {};
  const ports = portsOf(conversion, key).map(({ targetPort, protocol }) => ({ containerPort: targetPort, protocol }));
  return {
    name: nameOf(conversion, 'services', key),
    image: imageOf(project, key),
    ...optionalField('imagePullPolicy', pullPolicy(conversion, key, service)),
    ...optionalField('command', escaped(service.entrypoint)),
    ...optionalField('args', escaped(service.command)),
    ...optionalField('workingDir', service.working_dir),
    ...optionalField('env', environment(conversion, key, service.environment)),
    ...(ports.length > 0 && { ports }),
    ...(volumeMounts.length > 0 && { volumeMounts }),
    ...optionalField('resources', resources(conversion, key, service)),
    ...probes(service.healthcheck),
    ...optionalField('lifecycle', lifecycle(conversion, key, service)),
    ...optionalField('securityContext', securityContext(conversion, key, service)),
    ...(service.stdin_open === true && { stdin: true }),
    ...(service.tty === true && { tty: true }),
  };
}

/** Containers that run before that of a service, for `pre_start`. */
export function initContainers(conversion: Conversion, key: string): Container[] {
  const service = conversion.project.services[key] ?? {};
  const name = nameOf(conversion, 'services', key);
  return (service.pre_start ?? []).map((hook, index) => ({
    name: `${name}-pre-start-${index}`,
    image: hook.image ?? imageOf(conversion.project, key),
    ...optionalField('command', escaped(hook.command)),
    ...optionalField('workingDir', hook.working_dir),
    ...optionalField('env', environment(conversion, key, hook.environment)),
    ...optionalField('securityContext', securityContext(conversion, `${key}.pre_start`, hook)),
  }));
}

/** Kubernetes replaces `$(NAME)`; a doubled dollar sign is literal. */
function escaped(words: readonly string[] | undefined): string[] | undefined {
  return words?.map((word) => word.replaceAll('$(', '$$$('));
}

const VARIABLE = /^[\x20-\x3c\x3e-\x7e]+$/;

function environment(
  { notes }: Conversion,
  service: string,
  variables: Readonly<Record<string, string | null>> | undefined,
): Container['env'] {
  const all = Object.entries(variables ?? {});
  const set = all.flatMap(([name, value]) => {
    const reason = value === null ? 'it is not set here' : 'the name of a variable has ASCII characters only';
    if (value !== null && VARIABLE.test(name)) return [{ name, value: value.replaceAll('$(', '$$$(') }];
    notes.add(`services.${service}.environment.${name}`, `is left out: ${reason}`);
    return [];
  });
  return set.length === 0 ? undefined : set;
}

function pullPolicy(
  { notes }: Conversion,
  key: string,
  { pull_policy: policy }: Service,
): Container['imagePullPolicy'] {
  if (policy === undefined || policy === 'build') return undefined;
  if (policy === 'never') return 'Never';
  if (policy === 'missing' || policy === 'if_not_present') return 'IfNotPresent';
  if (policy !== 'always') {
    notes.add(`services.${key}.pull_policy`, 'is Always: a cluster has no interval for pulls');
  }
  return 'Always';
}

function resources({ notes }: Conversion, key: string, service: Service): Container['resources'] {
  const { cpus, memoryBytes: memory, memoryReservationBytes: reserved } = limits(service);
  const reservedCpus = service.deploy?.resources?.reservations?.cpus;
  const limit = { ...quantity('cpu', cpus), ...quantity('memory', memory) };
  const atMost = (what: string, asked: number | undefined, most = Infinity): number | undefined => {
    if (asked === undefined || asked <= most) return asked;
    notes.add(`services.${key}`, `reserves no more ${what} than its limit allows`);
    return most;
  };
  const request = {
    ...quantity('cpu', atMost('processors', reservedCpus, cpus)),
    ...quantity('memory', atMost('memory', reserved, memory)),
  };
  if (Object.keys(limit).length + Object.keys(request).length === 0) return undefined;
  return {
    ...(Object.keys(limit).length > 0 && { limits: limit }),
    ...(Object.keys(request).length > 0 && { requests: request }),
  };
}

/** Bytes of memory, or processors to a thousandth. */
function quantity(name: 'cpu' | 'memory', value: number | undefined): Record<string, string> {
  if (value === undefined) return {};
  return { [name]: name === 'cpu' ? `${Math.round(value * 1000)}m` : String(value) };
}

/**
 * Readiness, as a compose healthcheck does not restart a container either. While the start period lasts, failures do
 * not count.
 */
function probes(check: Healthcheck | undefined): Pick<Container, 'startupProbe' | 'readinessProbe'> {
  const command = check?.disable === true ? undefined : probeCommand(check?.test);
  if (check === undefined || command === undefined) return {};
  const interval = seconds(check.interval) ?? DEFAULT_INTERVAL;
  const probe: Probe = {
    exec: { command },
    periodSeconds: interval,
    timeoutSeconds: seconds(check.timeout) ?? DEFAULT_INTERVAL,
  };
  const failureThreshold = Math.max(1, check.retries ?? DEFAULT_RETRIES);
  const start = seconds(check.start_period);
  return {
    ...(start !== undefined && {
      startupProbe: { ...probe, failureThreshold: Math.ceil(start / interval) + failureThreshold },
    }),
    readinessProbe: { ...probe, failureThreshold },
  };
}

/** The seconds between probes where a health check names none; engines use the same default. */
const DEFAULT_INTERVAL = 30;
const DEFAULT_RETRIES = 3;
const NANOSECONDS = 1e9;

/** Whole seconds, at least 1. */
function seconds(nanoseconds: number | undefined): number | undefined {
  return nanoseconds === undefined ? undefined : Math.max(1, Math.round(nanoseconds / NANOSECONDS));
}

function probeCommand([kind, ...words]: readonly string[] = []): string[] | undefined {
  if (kind === 'CMD') return words;
  return kind === 'CMD-SHELL' ? ['/bin/sh', '-c', ...words] : undefined;
}

function lifecycle({ notes }: Conversion, key: string, service: Service): Container['lifecycle'] {
  const handler = (name: 'post_start' | 'pre_stop'): { exec: { command: readonly string[] } } | undefined => {
    const [first, ...others] = service[name] ?? [];
    if (first?.command === undefined) return undefined;
    const path = `services.${key}.${name}`;
    if (others.length > 0) notes.add(path, 'has only its first command: a container has one handler');
    if (hasOwnSettings(first)) notes.add(`${path}[0]`, 'runs with the user, directory and variables of the container');
    return { exec: { command: first.command } };
  };
  const postStart = handler('post_start');
  const preStop = handler('pre_stop');
  if (postStart === undefined && preStop === undefined) return undefined;
  return { ...optionalField('postStart', postStart), ...optionalField('preStop', preStop) };
}

function hasOwnSettings({ user, privileged, working_dir: directory, environment: variables = {} }: Hook): boolean {
  return user !== undefined || privileged === true || directory !== undefined || Object.keys(variables).length > 0;
}

function securityContext(
  { notes }: Conversion,
  path: string,
  service: Pick<Service, 'user' | 'privileged' | 'read_only' | 'cap_add' | 'cap_drop' | 'security_opt'>,
): SecurityContext | undefined {
  const [user = '', group] = (service.user ?? '').split(':');
  const isNumeric = /^\d+$/.test(user) && (group === undefined || /^\d+$/.test(group));
  if (user !== '' && !isNumeric) notes.add(`services.${path}.user`, 'is left out: a cluster takes numbers only');
  const options = service.security_opt ?? [];
  const isConfined = options.some((option) => /^no-new-privileges(?:[:=]true)?$/.test(option));
  for (const option of options.filter((each) => !each.startsWith('no-new-privileges'))) {
    notes.add(`services.${path}.security_opt`, `has no counterpart for ${option}`);
  }
  const isPowerful = service.privileged === true || names(service.cap_add)?.includes('SYS_ADMIN') === true;
  if (isConfined && isPowerful) {
    notes.add(`services.${path}.security_opt`, 'has no counterpart for no-new-privileges beside these privileges');
  }
  const capabilities = {
    ...optionalField('add', names(service.cap_add)),
    ...optionalField('drop', names(service.cap_drop)),
  };
  const context: SecurityContext = {
    ...(service.privileged === true && { privileged: true }),
    ...(isNumeric && { runAsUser: Number(user), ...(group !== undefined && { runAsGroup: Number(group) }) }),
    ...(service.read_only === true && { readOnlyRootFilesystem: true }),
    ...(isConfined && !isPowerful && { allowPrivilegeEscalation: false }),
    ...(Object.keys(capabilities).length > 0 && { capabilities }),
  };
  return Object.keys(context).length === 0 ? undefined : context;
}

/** Kubernetes names capabilities without their prefix. */
function names(capabilities: readonly string[] = []): string[] | undefined {
  if (capabilities.length === 0) return undefined;
  return capabilities.map((each) => each.toUpperCase().replace(/^CAP_/, ''));
}
