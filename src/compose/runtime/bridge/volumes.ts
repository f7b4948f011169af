/** Volumes through the Engine API. */
import { engineFilters } from '../engine/labels.js';
import { engineVolume } from '../engine/volume.js';
import { alreadyExists, unlessNotFound } from '../errors.js';
import { objectOf, objectsOf } from '../json.js';
import type { VolumeRecord } from '../records.js';
import type { VolumeOperations } from '../runtime.js';
import type { EngineClient } from './client.js';
import { segment } from './requests.js';

export function bridgeVolumes(client: EngineClient): VolumeOperations {
  const inspect = async (name: string, signal?: AbortSignal): Promise<VolumeRecord> =>
    engineVolume(
      objectOf(await client.call({ id: name }, { method: 'GET', path: `/volumes/${segment(name)}`, signal })),
    );

  return {
    async create(spec, { signal } = {}) {
      // The Engine API reports an existing volume as created, so look the name up first.
      const existing = await unlessNotFound(inspect(spec.name, signal));
      if (existing !== undefined) throw alreadyExists(spec.name);
      const json = {
        Name: spec.name,
        Driver: spec.driver ?? 'local',
        DriverOpts: { ...spec.driverOptions },
        Labels: { ...spec.labels },
      };
      const request = { method: 'POST', path: '/volumes/create', json, signal } as const;
      return engineVolume(objectOf(await client.call({ newName: spec.name }, request)));
    },
    async list({ labels = {}, signal } = {}) {
      const filters = JSON.stringify(engineFilters(labels));
      const request = { method: 'GET', path: '/volumes', query: { filters }, signal } as const;
      const answer = objectOf(await client.call({}, request));
      return objectsOf(answer.Volumes).map(engineVolume);
    },
    inspect: (name, { signal } = {}) => inspect(name, signal),
    async remove(name, { signal } = {}) {
      await client.call({ id: name }, { method: 'DELETE', path: `/volumes/${segment(name)}`, signal });
    },
  };
}
