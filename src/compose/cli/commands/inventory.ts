/** `images` and `volumes`: the images of a project's containers, and its volumes. */
import type { Command } from 'commander';
import { membersOf, observeProject, type Member } from '../../orchestrator/actual-state.js';
import { LABELS } from '../../orchestrator/labels.js';
import type { Selection } from '../../orchestrator/lifecycle.js';
import { nameAndTag } from '../../runtime/image-reference.js';
import type { ImageRecord, VolumeRecord } from '../../runtime/records.js';
import { define } from '../command.js';
import { FORMAT_HELP, listingText, type Row } from '../format/listing.js';
import { humanDuration, humanSize } from '../format/units.js';
import type { Io } from '../io.js';
import type { Session } from '../session.js';
import { labelsText } from '../print/labels.js';

interface ListFlags {
  readonly format?: string;
  readonly quiet?: boolean;
}

export function imagesCommand(compose: Command, io: Io): void {
  define<ListFlags>(compose, io, {
    usage: 'images [services...]',
    description: "list the images of the project's containers",
    options: (command) => command.option('--format <format>', FORMAT_HELP).option('-q, --quiet', 'ids only'),
    examples: ['compose images', "compose images --format '{{.ContainerName}} {{.ID}}'"],
    run: async (session, services, { format, quiet }) => {
      const { backend, signal } = await session.orchestration();
      const members = await chosen(session, services);
      const images = new Map<string, Promise<ImageRecord>>();
      const found = await Promise.all(
        members.map(async (member) => {
          const { imageId } = member.container;
          const image = images.get(imageId) ?? backend.images.inspect(imageId, { signal });
          images.set(imageId, image);
          return { member, image: await image };
        }),
      );
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
    },
  });
}

/** All containers of the services, including one-off ones, sorted by name. */
async function chosen(session: Session, services: readonly string[]): Promise<Member[]> {
  const { name, project } = await session.select(services);
  const present = await observeProject(await session.orchestration(), name);
  membersOf(present, services, name, definedIn(project)); // An unknown service is an error.
  return present
    .filter(({ service }) => services.length === 0 || services.includes(service))
    .sort((one, other) => (one.container.name < other.container.name ? -1 : 1));
}

function definedIn(project: Selection['project']): string[] {
  return Object.keys({ ...project?.services, ...project?.disabledServices });
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

export function volumesCommand(compose: Command, io: Io): void {
  define<ListFlags>(compose, io, {
    usage: 'volumes [services...]',
    description: 'list the named volumes of the project',
    options: (command) => command.option('--format <format>', FORMAT_HELP).option('-q, --quiet', 'names only'),
    run: async (session, services, { format, quiet }) => {
      const { backend, signal } = await session.orchestration();
      const { name, project } = await session.select(services);
      const found = await backend.volumes.list({ labels: { [LABELS.project]: name }, signal });
      const present = found.toSorted((one, other) => (one.name < other.name ? -1 : 1));
      const volumes =
        services.length === 0 ? present : present.filter(await isMountedBy(session, services, name, project));
      if (quiet === true) {
        await session.print(volumes.map((volume) => `${volume.name}\n`).join(''));
        return 0;
      }
      const titles = { Name: 'VOLUME NAME' };
      const rows = volumes.map(volumeRow);
      await session.print(listingText({ titles, columns: ['Driver', 'Name'], json: 'lines', rows }, format));
      return 0;
    },
  });
}

async function isMountedBy(
  session: Session,
  services: readonly string[],
  name: string,
  project: Selection['project'],
): Promise<(volume: VolumeRecord) => boolean> {
  const present = await observeProject(await session.orchestration(), name);
  const members = membersOf(present, services, name, definedIn(project));
  const sources = new Set(members.flatMap(({ container }) => container.mounts.map(({ source }) => source)));
  return (volume) => sources.has(volume.name);
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
