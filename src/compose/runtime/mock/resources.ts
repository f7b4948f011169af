/** Images, volumes, networks and secrets of the mock. */
/* eslint-disable @typescript-eslint/require-await -- asynchronous by their interface: what is thrown must reject */
import { hasLabels } from '../engine/labels.js';
import { alreadyExists, backendFailure, imageNotFound, notFound } from '../errors.js';
import { qualifyImage } from '../image-reference.js';
import type {
  BuildProgress,
  ImageRecord,
  NetworkRecord,
  PullProgress,
  SecretRecord,
  VolumeRecord,
} from '../records.js';
import type { ImageOperations, NetworkOperations, SecretOperations, VolumeOperations } from '../runtime.js';
import { now, type MockWorld } from './world.js';

export function addImage(world: MockWorld, reference: string, labels: Readonly<Record<string, string>> = {}): string {
  const whole = qualifyImage(reference);
  const id = world.newId();
  world.images.set(whole, { id, tags: [whole], createdAt: now(world), sizeBytes: 0, labels });
  return id;
}

/** @param pullable which images the mock's registry contains */
export function mockImages(world: MockWorld, pullable: (reference: string) => boolean): ImageOperations {
  const find = (reference: string): ImageRecord => {
    const image =
      world.images.get(qualifyImage(reference)) ?? [...world.images.values()].find(({ id }) => id === reference);
    if (image === undefined) throw imageNotFound(reference);
    return image;
  };
  return {
    list: async ({ labels = {} } = {}) => [...world.images.values()].filter((image) => hasLabels(image.labels, labels)),
    inspect: async (reference) => find(reference),
    pull: async (reference) => pull(reference),
    build: async ({ tags, labels }) => build(tags, labels),
    async remove(reference) {
      const [tag = ''] = find(reference).tags;
      world.images.delete(tag);
    },
  };

  async function* pull(reference: string): AsyncGenerator<PullProgress, void> {
    const whole = qualifyImage(reference);
    yield { message: `Pulling ${whole}` };
    if (!pullable(whole)) throw imageNotFound(reference);
    if (!world.images.has(whole)) addImage(world, whole);
    yield { message: `Pulled ${whole}` };
  }

  async function* build(
    tags: readonly string[],
    labels: Readonly<Record<string, string>> | undefined,
  ): AsyncGenerator<BuildProgress, void> {
    yield { type: 'log', line: 'The mock builds nothing.' };
    const ids = tags.map((tag) => addImage(world, tag, labels));
    yield { type: 'done', imageId: ids[0] ?? world.newId() };
  }
}

export function mockVolumes(world: MockWorld): VolumeOperations {
  const find = (name: string): VolumeRecord => {
    const volume = world.volumes.get(name);
    if (volume === undefined) throw notFound(name);
    return volume;
  };
  return {
    async create({ name, driver = 'local', labels = {} }) {
      if (world.volumes.has(name)) throw alreadyExists(name);
      const volume = { name, driver, labels, createdAt: now(world) };
      world.volumes.set(name, volume);
      return volume;
    },
    list: async ({ labels = {} } = {}) =>
      [...world.volumes.values()].filter((volume) => hasLabels(volume.labels, labels)),
    inspect: async (name) => find(name),
    async remove(name) {
      find(name);
      const used = [...world.containers.values()].some(({ spec }) =>
        spec.mounts?.some((mount) => mount.type === 'volume' && mount.source === name),
      );
      if (used) throw backendFailure(`Volume '${name}' is in use.`);
      world.volumes.delete(name);
    },
  };
}

export function mockNetworks(world: MockWorld): NetworkOperations {
  const find = (id: string): NetworkRecord => {
    const network = world.networks.get(id) ?? [...world.networks.values()].find((other) => other.id === id);
    if (network === undefined) throw notFound(id);
    return network;
  };
  return {
    async create({ name, driver = 'bridge', internal = false, labels = {} }) {
      if (world.networks.has(name)) throw alreadyExists(name);
      const network = { id: world.newId(), name, driver, internal, labels };
      world.networks.set(name, network);
      return network;
    },
    list: async ({ labels = {} } = {}) =>
      [...world.networks.values()].filter((network) => hasLabels(network.labels, labels)),
    inspect: async (id) => find(id),
    async remove(id) {
      const { name } = find(id);
      const used = [...world.containers.values()].some(({ spec }) =>
        spec.networks?.some(({ network }) => network === name),
      );
      if (used) throw backendFailure(`Network '${name}' is in use.`);
      world.networks.delete(name);
    },
  };
}

export function mockSecrets(world: MockWorld): SecretOperations {
  const find = (id: string): SecretRecord => {
    const secret = world.secrets.get(id) ?? [...world.secrets.values()].find((other) => other.id === id);
    if (secret === undefined) throw notFound(id);
    const { value: _value, ...record } = secret;
    return record;
  };
  return {
    async create({ name, value, labels = {} }) {
      if (world.secrets.has(name)) throw alreadyExists(name);
      world.secrets.set(name, { id: world.newId(), name, labels, createdAt: now(world), value });
      return find(name);
    },
    list: async () => [...world.secrets.keys()].map(find),
    inspect: async (id) => find(id),
    async remove(id) {
      world.secrets.delete(find(id).name);
    },
  };
}
