/** Images, volumes, networks and secrets of the mock. */
/* eslint-disable @typescript-eslint/require-await -- asynchronous by their interface: what is thrown must reject */
import type { Engine } from '../engine/engine.js';
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
import type { ImageOperations, SecretOperations, VolumeOperations } from '../runtime.js';
import { now, type MockState } from './mock-state.js';

export function addImage(
  mockState: MockState,
  reference: string,
  labels: Readonly<Record<string, string>> = {},
): string {
  const whole = qualifyImage(reference);
  const id = mockState.newId();
  mockState.images.set(whole, {
    id,
    tags: [whole],
    createdAt: now(mockState),
    sizeBytes: 0,
    labels,
    platform: 'linux/amd64',
    taggedAt: now(mockState),
  });
  return id;
}

/** @param pullable which images the mock's registry contains */
export function mockImages(mockState: MockState, pullable: (reference: string) => boolean): ImageOperations {
  const find = (reference: string): ImageRecord => {
    const image =
      mockState.images.get(qualifyImage(reference)) ??
      [...mockState.images.values()].find(({ id }) => id === reference);
    if (image === undefined) throw imageNotFound(reference);
    return image;
  };
  return {
    list: async ({ labels = {} } = {}) =>
      [...mockState.images.values()].filter((image) => hasLabels(image.labels, labels)),
    inspect: async (reference) => find(reference),
    pull: async (reference) => pull(reference),
    push: async (reference) => push(reference),
    build: async ({ tags, labels }) => build(tags, labels),
    async remove(reference) {
      const [tag = ''] = find(reference).tags;
      mockState.images.delete(tag);
    },
  };

  async function* pull(reference: string): AsyncGenerator<PullProgress, void> {
    const whole = qualifyImage(reference);
    yield { message: `Pulling ${whole}` };
    if (!pullable(whole)) throw imageNotFound(reference);
    const present = mockState.images.get(whole);
    if (present === undefined) addImage(mockState, whole);
    else mockState.images.set(whole, { ...present, taggedAt: now(mockState) });
    yield { message: `Pulled ${whole}` };
  }

  async function* push(reference: string): AsyncGenerator<PullProgress, void> {
    find(reference);
    yield { message: `Pushed ${qualifyImage(reference)}` };
  }

  async function* build(
    tags: readonly string[],
    labels: Readonly<Record<string, string>> | undefined,
  ): AsyncGenerator<BuildProgress, void> {
    yield { type: 'log', line: 'The mock builds nothing.' };
    const ids = tags.map((tag) => addImage(mockState, tag, labels));
    yield { type: 'done', imageId: ids[0] ?? mockState.newId() };
  }
}

export function mockVolumes(mockState: MockState): VolumeOperations {
  const find = (name: string): VolumeRecord => {
    const volume = mockState.volumes.get(name);
    if (volume === undefined) throw notFound(name);
    return volume;
  };
  return {
    async create(spec) {
      if (mockState.volumes.has(spec.name)) throw alreadyExists(spec.name);
      const volume = { driver: 'local', labels: {}, ...spec, createdAt: now(mockState) };
      mockState.volumes.set(spec.name, volume);
      return volume;
    },
    list: async ({ labels = {} } = {}) =>
      [...mockState.volumes.values()].filter((volume) => hasLabels(volume.labels, labels)),
    inspect: async (name) => find(name),
    async remove(name) {
      find(name);
      const used = [...mockState.containers.values()].some(({ spec }) =>
        spec.mounts?.some((mount) => mount.type === 'volume' && mount.source === name),
      );
      if (used) throw backendFailure(`Volume '${name}' is in use.`);
      mockState.volumes.delete(name);
    },
  };
}

export function mockNetworks(mockState: MockState): Engine['networks'] {
  const find = (id: string): NetworkRecord => {
    const network = mockState.networks.get(id) ?? [...mockState.networks.values()].find((other) => other.id === id);
    if (network === undefined) throw notFound(id);
    return network;
  };
  return {
    async create(spec) {
      if (mockState.networks.has(spec.name)) throw alreadyExists(spec.name);
      const network = { id: mockState.newId(), driver: 'bridge', internal: false, labels: {}, ...spec };
      mockState.networks.set(spec.name, network);
      return network;
    },
    list: async ({ labels = {} } = {}) =>
      [...mockState.networks.values()].filter((network) => hasLabels(network.labels, labels)),
    inspect: async (id) => find(id),
    async remove(id) {
      const { name } = find(id);
      const used = [...mockState.containers.values()].some(({ spec }) =>
        spec.networks?.some(({ network }) => network === name),
      );
      if (used) throw backendFailure(`Network '${name}' is in use.`);
      mockState.networks.delete(name);
    },
    async disconnect(network, id) {
      const container = mockState.containers.get(id);
      if (container === undefined) return;
      const networks = (container.spec.networks ?? []).filter((each) => each.network !== network);
      container.spec = { ...container.spec, networks };
    },
  };
}

export function mockSecrets(mockState: MockState): SecretOperations {
  const find = (id: string): SecretRecord => {
    const secret = mockState.secrets.get(id) ?? [...mockState.secrets.values()].find((other) => other.id === id);
    if (secret === undefined) throw notFound(id);
    const { value: _value, ...record } = secret;
    return record;
  };
  return {
    async create({ name, value, labels = {} }) {
      if (mockState.secrets.has(name)) throw alreadyExists(name);
      mockState.secrets.set(name, { id: mockState.newId(), name, labels, createdAt: now(mockState), value });
      return find(name);
    },
    list: async () => [...mockState.secrets.keys()].map(find),
    inspect: async (id) => find(id),
    async remove(id) {
      mockState.secrets.delete(find(id).name);
    },
  };
}
