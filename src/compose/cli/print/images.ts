/** Prints the images of containers. */
import type { Member } from '../../orchestrator/actual-state.js';
import { nameAndTag } from '../../runtime/image-reference.js';
import type { ImageRecord } from '../../runtime/records.js';
import type { InventoryFlags } from '../flags.js';
import { listingText, type Row } from '../format/listing.js';
import { humanDuration } from '../../runtime/human-duration.js';
import { humanSize } from '../format/units.js';
import type { Session } from '../session.js';

/** A container and its image. */
export interface MemberImage {
  readonly member: Member;
  readonly image: ImageRecord;
}

export async function printImages(
  session: Session,
  found: readonly MemberImage[],
  { format, quiet }: InventoryFlags,
): Promise<number> {
  if (quiet === true) {
    await session.print([...new Set(found.map(({ image }) => `${image.id}\n`))].join(''));
    return 0;
  }
  const titles = { ContainerName: 'CONTAINER', ImageID: 'IMAGE ID', LastTagTime: 'LAST TAG TIME' };
  const rows = found.map(({ member, image }) => imageRow(member, image));
  if (format !== undefined && format !== 'table') {
    await session.print(listingText({ titles, columns: [], json: 'array', rows }, format));
    return 0;
  }
  const shown = rows.map((row) => ({
    ...row,
    Repository: row.Repository || '<none>',
    Tag: row.Tag || '<none>',
    ImageID: row.ID.replace(/^sha256:/, '').slice(0, 12),
    Size: humanSize(row.Size),
    Created: `${humanDuration(session.io.clock.now().getTime() - Date.parse(row.LastTagTime))} ago`,
  }));
  const columns = ['ContainerName', 'Repository', 'Tag', 'Platform', 'ImageID', 'Size', 'Created'];
  await session.print(listingText({ titles, columns, json: 'array', rows: shown }));
  return 0;
}

interface ImageRow extends Row {
  readonly ID: string;
  readonly ContainerName: string;
  readonly Repository: string;
  readonly Tag: string;
  readonly Platform: string;
  readonly Size: number;
  readonly LastTagTime: string;
}

function imageRow({ container }: Member, { id, platform, sizeBytes, createdAt }: ImageRecord): ImageRow {
  const isId = /^(sha256:)?[0-9a-f]{12,64}$/.test(container.image);
  const [name = '', tag] = isId ? [] : nameAndTag(container.image);
  return {
    ID: `sha256:${id}`,
    ContainerName: container.name,
    Repository: name.replace(/^docker\.io\/(library\/)?/, ''),
    Tag: tag ?? (name === '' || name.includes('@') ? '' : 'latest'),
    Platform: platform ?? '',
    Size: sizeBytes,
    // Engines do not report when an image was tagged; docker compose then prints the creation time.
    LastTagTime: createdAt,
  };
}
