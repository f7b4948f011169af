/** Volumes through the Engine API. */
import { engineFilters } from '../engine/labels.js';
import { utcTime } from '../engine/time.js';
import { alreadyExists, unlessNotFound } from '../errors.js';
import { objectOf, objectsOf, textMapOf, textOf, type Json } from '../json.js';
import type { VolumeRecord } from '../records.js';
import type { VolumeOperations } from '../runtime.js';
import type { EngineClient } from './client.js';

export function bridgeVolumes(client: EngineClient): VolumeOperations {
  const inspect = async (name: string, signal?: AbortSignal): Promise<VolumeRecord> =>
    volumeOf(
      objectOf(
        await client.call({ id: name }, signal, (docker) =>
          docker.getVolume(name).inspect(signal && { abortSignal: signal }),
        ),
      ),
    );

  return {
    async create(spec, { signal } = {}) {
      // The Engine API reports an existing volume as created, so look the name up first.
      const existing = await unlessNotFound(inspect(spec.name, signal));
      if (existing !== undefined) throw alreadyExists(spec.name);
      await client.call({ newName: spec.name }, signal, (docker) =>
        docker.createVolume({
          Name: spec.name,
          Driver: spec.driver ?? 'local',
          DriverOpts: { ...spec.driverOptions },
          Labels: { ...spec.labels },
          ...(signal && { abortSignal: signal }),
        }),
      );
      return inspect(spec.name, signal);
    },
    async list({ labels = {}, signal } = {}) {
      const filters = JSON.stringify(engineFilters(labels));
      const answer = objectOf(
        await client.call({}, signal, (docker) =>
          docker.listVolumes({ filters, ...(signal && { abortSignal: signal }) }),
        ),
      );
      return objectsOf(answer.Volumes).map(volumeOf);
    },
    inspect: (name, { signal } = {}) => inspect(name, signal),
    async remove(name, { signal } = {}) {
      await client.call({ id: name }, signal, (docker) =>
        docker.getVolume(name).remove(signal && { abortSignal: signal }),
      );
    },
  };
}

function volumeOf(volume: Json): VolumeRecord {
  const createdAt = utcTime(textOf(volume.CreatedAt));
  const mountpoint = textOf(volume.Mountpoint);
  const scope = textOf(volume.Scope);
  return {
    name: textOf(volume.Name),
    driver: textOf(volume.Driver),
    labels: textMapOf(volume.Labels),
    ...(createdAt !== undefined && { createdAt }),
    ...(mountpoint !== '' && { mountpoint }),
    ...(scope !== '' && { scope }),
  };
}
