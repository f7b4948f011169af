import { child, map, scalar, shown, textOf } from '../node.js';
import type { Node, Path } from '../node.js';
import type {
  BindOptions,
  BlkioConfig,
  CredentialSpec,
  Dependency,
  DeviceMapping,
  EnvFile,
  Healthcheck,
  ImageOptions,
  Logging,
  Mount,
  Port,
  ServiceModel,
  ServiceNetwork,
  ThrottleDevice,
  TmpfsOptions,
  VolumeOptions,
  WeightDevice,
} from '../project/service.js';
import type { Develop, Provider, WatchRule } from '../project/workload.js';
import { expandMount, locateMount, mountKey } from '../normalize/mounts.js';
import { expandPort, parseRange, portKey } from '../normalize/ports.js';
import { listOf, RESOURCE_NAME, recordOf } from '../shape/collection-shapes.js';
import { objectOf } from '../shape/object-shape.js';
import {
  count,
  duration,
  flag,
  integer,
  integerFrom,
  memory,
  mode,
  nullable,
  oneOf,
  single,
  text,
  textLike,
  textOrNumber,
} from '../shape/scalar-shapes.js';
import { unexpected } from '../shape/shape.js';
import type { Shape } from '../shape/shape.js';
import { healthTest, hook } from './command.js';
import { distinctTexts, driverOptions, filePath, inputFile, labels, textOrTexts, variableFile } from './fields.js';

const published = single('a port or a range of ports', (value) => {
  const written = typeof value === 'number' ? String(value) : value;
  return typeof written === 'string' && (written === '' || parseRange(written) !== undefined) ? written : undefined;
});

export const ports: Shape<Port[]> = listOf(
  objectOf<Port>(
    {
      target: integerFrom(1, 65_535),
      published,
      host_ip: text,
      protocol: text,
      mode: text,
      name: text,
      app_protocol: text,
    },
    { required: ['target'], defaults: { protocol: 'tcp', mode: 'ingress' } },
  ),
  { expand: expandPort, merge: { uniqueBy: portKey } },
);

const quantity = memory();

/** A number is in whole bytes. */
const wholeBytes: Shape<string> = {
  ...quantity,
  expected: 'a whole number of bytes or a memory quantity such as 64m',
  canonical(node, path, canonicalMode) {
    if (node.kind === 'scalar' && typeof node.value === 'number' && !Number.isInteger(node.value)) {
      throw unexpected(wholeBytes.expected, node, path);
    }
    return quantity.canonical(node, path, canonicalMode);
  },
};

export const mounts: Shape<Mount[]> = listOf(
  objectOf<Mount>(
    {
      type: oneOf('bind', 'volume', 'tmpfs', 'cluster', 'npipe', 'image'),
      source: text,
      target: text,
      read_only: flag,
      consistency: text,
      bind: objectOf<BindOptions>(
        {
          propagation: text,
          create_host_path: flag,
          recursive: oneOf('enabled', 'disabled', 'writable', 'readonly'),
          selinux: oneOf('z', 'Z'),
        },
        { defaults: { create_host_path: true } },
      ),
      volume: objectOf<VolumeOptions>({ labels, nocopy: flag, subpath: text }),
      tmpfs: objectOf<TmpfsOptions>({ size: wholeBytes, mode }),
      image: objectOf<ImageOptions>({ subpath: text }),
    },
    { required: ['type', 'target'], locate: locateMount },
  ),
  { expand: expandMount, merge: { uniqueBy: mountKey } },
);

const serviceNetwork = objectOf<ServiceNetwork>({
  aliases: distinctTexts,
  interface_name: text,
  ipv4_address: text,
  ipv6_address: text,
  link_local_ips: distinctTexts,
  mac_address: text,
  driver_opts: driverOptions,
  priority: integer,
  gw_priority: integer,
});

export const serviceNetworks = recordOf(nullable(serviceNetwork), { names: RESOURCE_NAME, list: 'null' });

export const serviceModels = recordOf(nullable(objectOf<ServiceModel>({ endpoint_var: text, model_var: text })), {
  names: RESOURCE_NAME,
  list: 'null',
});

const NOWHERE = { file: '', line: 1, column: 1 };
/** The meaning of a dependency given as a list item. */
const STARTED = map(
  [
    ['condition', scalar('service_started', NOWHERE)],
    ['required', scalar(true, NOWHERE)],
  ],
  NOWHERE,
);

export const dependencies: Shape<Record<string, Dependency>> = recordOf(
  objectOf<Dependency>(
    {
      condition: oneOf('service_started', 'service_healthy', 'service_completed_successfully'),
      restart: flag,
      required: flag,
    },
    { required: ['condition'], defaults: { required: true } },
  ),
  { names: RESOURCE_NAME, list: STARTED },
);

export const healthcheck = objectOf<Healthcheck>({
  disable: flag,
  test: healthTest,
  interval: duration,
  timeout: duration,
  retries: count,
  start_period: duration,
  start_interval: duration,
});

/** Options of different drivers are not merged: another driver replaces the whole section. */
export const logging = objectOf<Logging>(
  { driver: text, options: driverOptions },
  {
    merge(base, over, _path, byField) {
      const [before, after] = [textOf(child(base, 'driver')), textOf(child(over, 'driver'))];
      return before === undefined || after === undefined || before === after ? byField() : over;
    },
  },
);

export const devices: Shape<DeviceMapping[]> = listOf(
  objectOf<DeviceMapping>(
    { source: text, target: text, permissions: text },
    { required: ['source'], short: expandDevice, shortExpected: 'a device such as /dev/fuse:/dev/fuse:rwm' },
  ),
  { merge: { uniqueBy: (entry) => textOf(child(entry, 'target')) ?? shown(entry) } },
);

function expandDevice(node: Node, path: Path): ReturnType<typeof map> | undefined {
  const device = textOf(node);
  if (device === undefined || node.kind !== 'scalar') return undefined;
  const [source = '', target = source, permissions = 'rwm', ...excess] = device.split(':');
  if (excess.length > 0 || source === '') throw unexpected('a device such as /dev/fuse:/dev/fuse:rwm', node, path);
  const part = (value: string): Node => scalar(value, node.place, node.written);
  return map(
    [
      ['source', part(source)],
      ['target', part(target || source)],
      ['permissions', part(permissions)],
    ],
    node.place,
  );
}

const throttledBytes = listOf(objectOf<ThrottleDevice>({ path: text, rate: memory() }, { extensions: false }));
const throttledOperations = listOf(objectOf<ThrottleDevice>({ path: text, rate: textOrNumber }, { extensions: false }));

export const blkioConfig = objectOf<BlkioConfig>(
  {
    weight: count,
    weight_device: listOf(objectOf<WeightDevice>({ path: text, weight: count }, { extensions: false })),
    device_read_bps: throttledBytes,
    device_read_iops: throttledOperations,
    device_write_bps: throttledBytes,
    device_write_iops: throttledOperations,
  },
  { extensions: false },
);

export const credentialSpec = objectOf<CredentialSpec>({ config: text, file: text, registry: text });

export const envFiles: Shape<EnvFile[]> = listOf(
  objectOf<EnvFile>(
    { path: variableFile, required: flag, format: oneOf('raw') },
    {
      required: ['path'],
      defaults: { required: true },
      extensions: false,
      shortExpected: 'a path',
      short: (node) => (textOf(node) === undefined ? undefined : map([['path', node]], node.place)),
    },
  ),
  { single: true, merge: { uniqueBy: (entry) => textOf(child(entry, 'path')) ?? '' } },
);

export const extendsReference = objectOf<{ service: string; file?: string }>(
  { service: text, file: inputFile },
  {
    required: ['service'],
    extensions: false,
    shortExpected: 'a service',
    short: (node) => (textOf(node) === undefined ? undefined : map([['service', node]], node.place)),
  },
);

export const develop = objectOf<Develop>({
  watch: listOf(
    objectOf<WatchRule>(
      {
        path: filePath,
        action: oneOf('rebuild', 'sync', 'restart', 'sync+restart', 'sync+exec'),
        target: text,
        ignore: textOrTexts,
        include: textOrTexts,
        exec: hook,
        initial_sync: flag,
      },
      { required: ['path', 'action'] },
    ),
  ),
});

export const provider = objectOf<Provider>(
  { type: text, options: recordOf(listOf(textLike, { single: true })) },
  { required: ['type'] },
);
