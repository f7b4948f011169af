/** Prints volumes. */
import type { VolumeRecord } from '../../runtime/records.js';
import type { InventoryFlags } from '../flags.js';
import { listingText, type Row } from '../format/listing.js';
import type { Session } from '../session.js';
import { labelsText } from './labels.js';

export async function printVolumes(
  session: Session,
  volumes: readonly VolumeRecord[],
  { format, quiet }: InventoryFlags,
): Promise<number> {
  if (quiet === true) {
    await session.print(volumes.map((volume) => `${volume.name}\n`).join(''));
    return 0;
  }
  const titles = { Name: 'VOLUME NAME' };
  const rows = volumes.map(volumeRow);
  await session.print(listingText({ titles, columns: ['Driver', 'Name'], json: 'lines', rows }, format));
  return 0;
}

/** Docker prints N/A for values that only some volume plug-ins report. */
function volumeRow({ name, driver, labels, mountpoint, scope }: VolumeRecord): Row {
  return {
    Availability: 'N/A',
    Driver: driver,
    Group: 'N/A',
    Label: (key: string) => labels[key] ?? '',
    Labels: labelsText(labels),
    Links: 'N/A',
    Mountpoint: mountpoint ?? '',
    Name: name,
    Scope: scope ?? 'local',
    Size: 'N/A',
    Status: 'N/A',
  };
}
