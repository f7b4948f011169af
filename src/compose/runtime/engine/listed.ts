/** Parses an entry of Docker's list of containers. */
import { numberOf, objectOf, objectsOf, textMapOf, textOf, type Json } from '../json.js';
import type { HealthStatus, PortBinding } from '../records.js';
import type { ListedContainer } from './engine.js';
import { mountsOf, networksOf, protocolOf } from './inspect.js';

/** `Up 5 minutes`, or `Up 5 minutes (healthy)`. */
const UP = /^Up ([^()]+?)(?: \((?:health: )?(starting|healthy|unhealthy)\))?$/;

/**
 * Undefined if the entry does not describe the container well enough: it is not running, it is paused, or its image has
 * lost the name that the container was created with.
 */
export function listedContainer(entry: Json): ListedContainer | undefined {
  const [, uptime, health] = UP.exec(textOf(entry.Status)) ?? [];
  const id = textOf(entry.Id);
  const image = textOf(entry.Image);
  const imageId = textOf(entry.ImageID).replace(/^sha256:/, '');
  // Links to the container are names, too.
  const name = namesOf(entry).find((each) => each.lastIndexOf('/') === 0);
  if (entry.State !== 'running' || uptime === undefined || name === undefined) return undefined;
  if (id === '' || image.replace(/^sha256:/, '') === imageId) return undefined;
  return {
    id,
    name: name.slice(1),
    image,
    imageId,
    state: 'running',
    uptime,
    createdAt: new Date(numberOf(entry.Created) * 1000).toISOString(),
    ...(health !== undefined && { health: { status: health as HealthStatus } }), // The pattern has its values.
    labels: textMapOf(entry.Labels),
    command: [textOf(entry.Command)],
    entrypoint: [],
    ports: portsOf(entry),
    mounts: mountsOf(entry),
    networks: networksOf(objectOf(objectOf(entry.NetworkSettings).Networks)),
  };
}

function namesOf({ Names: names }: Json): string[] {
  return Array.isArray(names) ? names.map(textOf) : [];
}

/** Published ports, in the order of an inspection. */
function portsOf(entry: Json): readonly PortBinding[] {
  return objectsOf(entry.Ports)
    .filter(({ PublicPort: port }) => port !== undefined)
    .map((port) => ({
      containerPort: numberOf(port.PrivatePort),
      protocol: protocolOf(textOf(port.Type)),
      hostAddress: textOf(port.IP) || '0.0.0.0',
      hostPort: numberOf(port.PublicPort),
    }))
    .sort(byContainerPort);
}

function byContainerPort(one: PortBinding, other: PortBinding): number {
  const [key, otherKey] = [one, other].map(({ containerPort, protocol }) => `${containerPort}/${protocol}`);
  return key === otherKey ? 0 : (key ?? '') < (otherKey ?? '') ? -1 : 1;
}
