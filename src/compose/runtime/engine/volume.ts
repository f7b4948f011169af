/** Parses a volume as Docker and Podman list and inspect it. */
import { textMapOf, textOf, type Json } from '../json.js';
import type { VolumeRecord } from '../records.js';
import { utcTime } from './time.js';

export function engineVolume(volume: Json): VolumeRecord {
  const createdAt = utcTime(textOf(volume.CreatedAt));
  const mountpoint = textOf(volume.Mountpoint);
  const scope = textOf(volume.Scope);
  return {
    name: textOf(volume.Name),
    driver: textOf(volume.Driver),
    labels: textMapOf(volume.Labels),
    driverOptions: textMapOf(volume.Options),
    ...(createdAt !== undefined && { createdAt }),
    ...(mountpoint !== '' && { mountpoint }),
    ...(scope !== '' && { scope }),
  };
}
