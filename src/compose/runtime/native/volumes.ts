/** Volumes through the podman command. */
import { engineVolume } from '../engine/volume.js';
import { notFound } from '../errors.js';
import { objectsOf } from '../json.js';
import type { VolumeRecord } from '../records.js';
import type { VolumeOperations } from '../runtime.js';
import { labelArguments, operand, option, pairs } from './options.js';
import type { Podman } from './podman.js';

export function nativeVolumes(podman: Podman): VolumeOperations {
  const inspect = async (name: string, signal?: AbortSignal): Promise<VolumeRecord> => {
    const subject = { id: name };
    const [volume] = objectsOf(await podman.json(['volume', 'inspect', operand(name)], { subject, signal }));
    if (volume === undefined) throw notFound(name);
    return engineVolume(volume);
  };

  return {
    async create(spec, { signal } = {}) {
      const args = [
        ...option('--driver', spec.driver),
        ...pairs('--opt', spec.driverOptions),
        ...pairs('--label', spec.labels),
      ];
      await podman.run(['volume', 'create', ...args, operand(spec.name)], { subject: { newName: spec.name }, signal });
      return inspect(spec.name, signal);
    },
    async list({ labels = {}, signal } = {}) {
      return objectsOf(await podman.json(['volume', 'ls', '--format=json', ...labelArguments(labels)], { signal })).map(
        engineVolume,
      );
    },
    inspect: (name, { signal } = {}) => inspect(name, signal),
    async remove(name, { signal } = {}) {
      await podman.run(['volume', 'rm', operand(name)], { subject: { id: name }, signal });
    },
  };
}
