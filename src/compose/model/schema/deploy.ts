import { list, map, scalar, textOf } from '../node.js';
import type {
  Deploy,
  DeviceRequest,
  DiscreteResource,
  GenericResource,
  Placement,
  PlacementPreference,
  ResourceLimits,
  ResourceReservations,
  Resources,
  RestartPolicy,
  UpdateConfig,
} from '../project/workload.js';
import { listOf } from '../shape/collection-shapes.js';
import { objectOf } from '../shape/object-shape.js';
import { count, duration, integer, memory, number, oneOf, single, text } from '../shape/scalar-shapes.js';
import type { Shape } from '../shape/shape.js';
import { labels, texts } from './fields.js';

const updateConfig = objectOf<UpdateConfig>({
  parallelism: count,
  delay: duration,
  failure_action: text,
  monitor: duration,
  max_failure_ratio: number,
  order: oneOf('start-first', 'stop-first'),
});

const ALL_DEVICES = -1;

const deviceCount = single('a whole number or all', (value) => {
  if (value === 'all') return ALL_DEVICES;
  const amount = typeof value === 'string' && /^-?\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof amount === 'number' && Number.isSafeInteger(amount) ? amount : undefined;
});

const DEVICE_REQUEST_FIELDS = {
  capabilities: texts,
  count: deviceCount,
  device_ids: texts,
  driver: text,
  options: labels,
};
const deviceRequest = objectOf<DeviceRequest>(DEVICE_REQUEST_FIELDS, { required: ['capabilities'] });
const gpuRequests = listOf(objectOf<DeviceRequest>(DEVICE_REQUEST_FIELDS));

/** Device requests, or `all`. */
export const gpus: Shape<DeviceRequest[]> = {
  ...gpuRequests,
  expected: 'all or a list',
  canonical: (node, path, mode) =>
    textOf(node) === 'all'
      ? list([map([['count', scalar('all', node.place)]], node.place)], node.place)
      : gpuRequests.canonical(node, path, mode),
};

const genericResource = objectOf<GenericResource>({
  discrete_resource_spec: objectOf<DiscreteResource>({ kind: text, value: integer }),
});

const resources = objectOf<Resources>({
  limits: objectOf<ResourceLimits>({ cpus: number, memory: memory(), pids: integer }),
  reservations: objectOf<ResourceReservations>({
    cpus: number,
    memory: memory(),
    generic_resources: listOf(genericResource),
    devices: listOf(deviceRequest),
  }),
});

export const deploy = objectOf<Deploy>({
  mode: text,
  endpoint_mode: text,
  replicas: integer,
  labels,
  rollback_config: updateConfig,
  update_config: updateConfig,
  resources,
  restart_policy: objectOf<RestartPolicy>({ condition: text, delay: duration, max_attempts: count, window: duration }),
  placement: objectOf<Placement>({
    constraints: texts,
    preferences: listOf(objectOf<PlacementPreference>({ spread: text })),
    max_replicas_per_node: count,
  }),
});
