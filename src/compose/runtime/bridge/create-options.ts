/** Converts a container specification to the body of the Engine API's create call. */
import type Docker from 'dockerode';
import { environmentList } from '../engine/environment-list.js';
import { notSupported } from '../errors.js';
import type { ContainerSpec, Healthcheck, NetworkAttachment } from '../spec.js';
import { hostConfig } from './host-config.js';

/**
 * The body includes the first network. The others are connected afterwards (`furtherNetworks`), because the API accepts
 * only one before version 1.44.
 */
export function createOptions(spec: ContainerSpec): Docker.ContainerCreateOptions {
  const first = spec.networks?.[0];
  const exposed = [
    ...(spec.expose ?? []).map(({ port, protocol }) => `${port}/${protocol ?? 'tcp'}`),
    ...(spec.ports ?? []).map(({ containerPort, protocol }) => `${containerPort}/${protocol ?? 'tcp'}`),
  ];
  const macAddress = spec.macAddress ?? first?.macAddress;
  const anonymous = (spec.mounts ?? []).filter((mount) => mount.type === 'volume' && mount.source === undefined);
  return {
    name: spec.name,
    Image: spec.image,
    ...(spec.platform !== undefined && { platform: spec.platform }),
    ...(spec.command && { Cmd: [...spec.command] }),
    ...(spec.entrypoint && { Entrypoint: [...spec.entrypoint] }),
    Env: environmentList(spec),
    Labels: { ...spec.labels },
    ExposedPorts: Object.fromEntries(exposed.map((port) => [port, {}])),
    Volumes: Object.fromEntries(anonymous.map(({ target }) => [target, {}])),
    ...(spec.hostname !== undefined && { Hostname: spec.hostname }),
    ...(spec.domainName !== undefined && { Domainname: spec.domainName }),
    ...(macAddress !== undefined && { MacAddress: macAddress }),
    ...(spec.user !== undefined && { User: spec.user }),
    ...(spec.workingDirectory !== undefined && { WorkingDir: spec.workingDirectory }),
    ...(spec.stopSignal !== undefined && { StopSignal: spec.stopSignal }),
    ...(spec.stopTimeoutSeconds !== undefined && { StopTimeout: spec.stopTimeoutSeconds }),
    Tty: spec.tty ?? false,
    OpenStdin: spec.openStdin ?? false,
    StdinOnce: spec.stdinOnce ?? false,
    ...(spec.healthcheck && { Healthcheck: healthConfig(spec.healthcheck) }),
    HostConfig: hostConfig(spec),
    ...(first && { NetworkingConfig: { EndpointsConfig: { [first.network]: endpoint(first) } } }),
  };
}

/** The networks to connect after the create, and before the start. */
export function furtherNetworks(spec: ContainerSpec): readonly NetworkAttachment[] {
  return spec.networks?.slice(1) ?? [];
}

export function endpoint(attachment: NetworkAttachment): Docker.EndpointSettings {
  const { ipv4Address, ipv6Address, linkLocalAddresses, interfaceName } = attachment;
  const driverOptions = {
    ...attachment.driverOptions,
    ...(interfaceName !== undefined && { 'com.docker.network.endpoint.ifname': interfaceName }),
  };
  return {
    Aliases: [...(attachment.aliases ?? [])],
    ...(Object.keys(driverOptions).length > 0 && { DriverOpts: driverOptions }),
    ...((ipv4Address ?? ipv6Address ?? linkLocalAddresses) !== undefined && {
      IPAMConfig: {
        ...(ipv4Address !== undefined && { IPv4Address: ipv4Address }),
        ...(ipv6Address !== undefined && { IPv6Address: ipv6Address }),
        ...(linkLocalAddresses && { LinkLocalIPs: [...linkLocalAddresses] }),
      },
    }),
    ...(attachment.macAddress !== undefined && { MacAddress: attachment.macAddress }),
  };
}

/** @throws RuntimeError.notSupported for an engine that does not know such mounts */
export function requireImageMounts(apiVersion: string): void {
  if (isBelow(apiVersion, 48))
    throw notSupported(`mounts of images before Engine API 1.48 (this engine has ${apiVersion})`, 'bridge');
}

/** Settings that this API version does not support, as warnings for the caller. */
export function unsupported(spec: ContainerSpec, apiVersion: string): string[] {
  const below = (wanted: number): boolean => isBelow(apiVersion, wanted);
  return [
    ...(spec.healthcheck?.startIntervalMs !== undefined && below(44)
      ? [`healthcheck.start_interval needs Engine API 1.44; this engine has ${apiVersion}, so interval is used.`]
      : []),
    ...(spec.annotations && Object.keys(spec.annotations).length > 0 && below(43)
      ? [`annotations need Engine API 1.43; this engine has ${apiVersion}, so they are ignored.`]
      : []),
    ...(spec.networks?.some(({ interfaceName }) => interfaceName !== undefined) === true && below(49)
      ? [`interface_name needs Engine API 1.49; this engine has ${apiVersion}, so it is ignored.`]
      : []),
  ];
}

function isBelow(apiVersion: string, wantedMinor: number): boolean {
  const [major = 0, minor = 0] = apiVersion.split('.').map(Number);
  return major < 1 || (major === 1 && minor < wantedMinor);
}

/** The API counts in nanoseconds. */
function healthConfig(check: Healthcheck): Docker.HealthConfig {
  const nanoseconds = (milliseconds: number): number => Math.round(milliseconds * 1e6);
  return {
    Test: [...check.test],
    ...(check.intervalMs !== undefined && { Interval: nanoseconds(check.intervalMs) }),
    ...(check.timeoutMs !== undefined && { Timeout: nanoseconds(check.timeoutMs) }),
    ...(check.retries !== undefined && { Retries: check.retries }),
    ...(check.startPeriodMs !== undefined && { StartPeriod: nanoseconds(check.startPeriodMs) }),
    ...(check.startIntervalMs !== undefined && { StartInterval: nanoseconds(check.startIntervalMs) }),
  };
}
