/** Parses a container inspection. Docker and Podman use the same form, apart from details. */
import { numberOf, objectOf, objectsOf, textMapOf, textOf, textsOf, type Json } from '../json.js';
import type { HealthRecord, MountRecord, NetworkEndpoint, PortBinding } from '../records.js';
import type { Healthcheck, PortProtocol, RestartPolicy } from '../spec.js';
import type { EngineContainer } from './engine.js';
import { utcTime } from './time.js';

export function containerOf(inspection: Json): EngineContainer {
  const config = objectOf(inspection.Config);
  const state = objectOf(inspection.State);
  const startedAt = utcTime(textOf(state.StartedAt));
  const host = objectOf(inspection.HostConfig);
  const log = objectOf(host.LogConfig);
  const restart = restartOf(objectOf(host.RestartPolicy));
  const phase = stateOf(textOf(state.Status));
  const health = healthOf(state);
  const healthcheck = healthcheckOf(objectOf(config.Healthcheck));
  // A container that restarts is between two runs.
  const hasEnded = phase === 'ended' || state.Status === 'restarting';
  const finishedAt = hasEnded ? utcTime(textOf(state.FinishedAt)) : undefined;
  // Podman's own API returns a number.
  const stopSignal = typeof config.StopSignal === 'number' ? `${config.StopSignal}` : textOf(config.StopSignal);
  return {
    id: textOf(inspection.Id),
    name: textOf(inspection.Name).replace(/^\//, ''),
    // Podman's own API has the name in ImageName; the Engine API has it in Config.
    image: textOf(inspection.ImageName) || textOf(config.Image),
    imageId: textOf(inspection.Image).replace(/^sha256:/, ''),
    state: phase,
    ...conditionOf(state),
    ...(log.Type === 'k8s-file' && textOf(log.Path) !== '' && { logFile: textOf(log.Path) }),
    createdAt: utcTime(textOf(inspection.Created)) ?? '',
    ...(startedAt !== undefined && { startedAt }),
    ...(finishedAt !== undefined && { finishedAt }),
    ...(hasEnded && { exitCode: numberOf(state.ExitCode) }),
    outOfMemory: state.OOMKilled === true,
    restartCount: numberOf(inspection.RestartCount),
    ...(restart !== undefined && { restart }),
    ...(health !== undefined && { health }),
    ...(healthcheck !== undefined && { healthcheck }),
    labels: textMapOf(config.Labels),
    command: textsOf(config.Cmd),
    entrypoint: textsOf(config.Entrypoint),
    environment: environmentOf(textsOf(config.Env)),
    workingDirectory: textOf(config.WorkingDir),
    user: textOf(config.User),
    hostname: textOf(config.Hostname),
    tty: config.Tty === true,
    ...(stopSignal !== '' && { stopSignal }),
    ports: portsOf(objectOf(objectOf(inspection.NetworkSettings).Ports)),
    mounts: mountsOf(inspection),
    networks: networksOf(objectOf(objectOf(inspection.NetworkSettings).Networks)),
  };
}

function conditionOf(state: Json): Pick<EngineContainer, 'condition'> {
  switch (state.Status) {
    case 'paused':
    case 'restarting':
    case 'removing':
    case 'dead':
      return { condition: state.Status };
    default:
      return {};
  }
}

/** Paused and restarting containers count as running. */
function stateOf(status: string): EngineContainer['state'] {
  switch (status) {
    case 'created':
    case 'configured':
    case 'initialized':
      return 'created';
    case 'running':
    case 'paused':
    case 'restarting':
      return 'running';
    case 'stopping':
      return 'stopping';
    default: // exited, stopped, dead, removing
      return 'ended';
  }
}

function restartOf(policy: Json): RestartPolicy | undefined {
  const maximumRetries = numberOf(policy.MaximumRetryCount);
  switch (policy.Name) {
    case 'always':
    case 'unless-stopped':
      return { name: policy.Name };
    case 'on-failure':
      return { name: policy.Name, ...(maximumRetries > 0 && { maximumRetries }) };
    default: // `no`, or empty
      return undefined;
  }
}

/** Podman before 4 calls it Healthcheck, and returns an empty object if there is no health check. */
function healthOf(state: Json): HealthRecord | undefined {
  const health = objectOf(state.Health ?? state.Healthcheck);
  const status = textOf(health.Status);
  if (status !== 'starting' && status !== 'healthy' && status !== 'unhealthy') return undefined;
  const newest = objectsOf(health.Log).at(-1);
  const checkedAt = utcTime(textOf(newest?.End));
  const output = textOf(newest?.Output);
  return {
    status,
    failingStreak: numberOf(health.FailingStreak),
    ...(checkedAt !== undefined && { checkedAt }),
    ...(output !== '' && { output }),
  };
}

/** Undefined if there is none. Durations of the engine are in nanoseconds. */
export function healthcheckOf(check: Json): Healthcheck | undefined {
  const test = textsOf(check.Test);
  if (test.length === 0) return undefined;
  const milliseconds = (value: unknown): number => Math.round(numberOf(value) / 1e6);
  return {
    test,
    ...(numberOf(check.Interval) > 0 && { intervalMs: milliseconds(check.Interval) }),
    ...(numberOf(check.Timeout) > 0 && { timeoutMs: milliseconds(check.Timeout) }),
    ...(numberOf(check.Retries) > 0 && { retries: numberOf(check.Retries) }),
    ...(numberOf(check.StartPeriod) > 0 && { startPeriodMs: milliseconds(check.StartPeriod) }),
    ...(numberOf(check.StartInterval) > 0 && { startIntervalMs: milliseconds(check.StartInterval) }),
  };
}

/** From `NAME=value`. */
export function environmentOf(entries: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    entries.map((entry) => {
      const equals = entry.indexOf('=');
      return equals === -1 ? [entry, ''] : [entry.slice(0, equals), entry.slice(equals + 1)];
    }),
  );
}

/** `{"80/tcp": [{HostIp, HostPort}]}`, with null for a port that is exposed but not published. */
function portsOf(ports: Json): readonly PortBinding[] {
  return Object.entries(ports).flatMap(([key, bindings]) => {
    const [port = '', protocol = 'tcp'] = key.split('/');
    return objectsOf(bindings).map((binding) => ({
      containerPort: numberOf(port),
      protocol: protocolOf(protocol),
      hostAddress: textOf(binding.HostIp) || '0.0.0.0',
      hostPort: numberOf(binding.HostPort),
    }));
  });
}

export function protocolOf(text: string): PortProtocol {
  return text === 'udp' || text === 'sctp' ? text : 'tcp';
}

/** Reads the mounts of an inspection, or of an entry of a list, which lacks those of `HostConfig`. */
export function mountsOf(inspection: Json): readonly MountRecord[] {
  const mounts = objectsOf(inspection.Mounts).flatMap((mount): MountRecord[] => {
    const type = textOf(mount.Type);
    if (type !== 'bind' && type !== 'volume' && type !== 'tmpfs' && type !== 'image') return [];
    const source = type === 'volume' ? textOf(mount.Name) : textOf(mount.Source);
    return [
      { type, target: textOf(mount.Destination), readOnly: mount.RW === false, ...(source !== '' && { source }) },
    ];
  });
  const targets = new Set(mounts.map(({ target }) => target));
  const temporary = Object.keys(objectOf(objectOf(inspection.HostConfig).Tmpfs))
    .filter((target) => !targets.has(target))
    .map((target): MountRecord => ({ type: 'tmpfs', target, readOnly: false }));
  // Docker returns them in a different order each time.
  return [...mounts, ...temporary].sort(byTarget);
}

/** Orders the mounts of a record. */
export function byTarget(one: MountRecord, other: MountRecord): number {
  return one.target < other.target ? -1 : one.target > other.target ? 1 : 0;
}

export function networksOf(networks: Json): readonly NetworkEndpoint[] {
  return Object.entries(networks).map(([network, value]) => {
    const endpoint = objectOf(value);
    const ipv4Address = textOf(endpoint.IPAddress);
    const ipv6Address = textOf(endpoint.GlobalIPv6Address);
    const macAddress = textOf(endpoint.MacAddress);
    return {
      network,
      aliases: textsOf(endpoint.Aliases),
      ...(ipv4Address !== '' && { ipv4Address }),
      ...(ipv6Address !== '' && { ipv6Address }),
      ...(macAddress !== '' && { macAddress }),
    };
  });
}
