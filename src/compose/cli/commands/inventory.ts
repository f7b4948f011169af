/** `images` and `volumes`: the images of a project's containers, and its volumes. */
import type { Command } from 'commander';
import { observeProject } from '../../orchestrator/actual-state.js';
import { LABELS } from '../../orchestrator/labels.js';
import type { ImageRecord } from '../../runtime/records.js';
import { define } from '../command.js';
import type { InventoryFlags } from '../flags.js';
import { FORMAT_HELP } from '../format/listing.js';
import { chosenOf, volumesOf } from '../inventory.js';
import type { Io } from '../io.js';
import { printImages } from '../print/images.js';
import { printVolumes } from '../print/volumes.js';

export function imagesCommand(compose: Command, io: Io): void {
  define<InventoryFlags>(compose, io, {
    usage: 'images [services...]',
    description: "list the images of the project's containers",
    options: (command) => command.option('--format <format>', FORMAT_HELP).option('-q, --quiet', 'ids only'),
    examples: ['compose images', "compose images --format '{{.ContainerName}} {{.ID}}'"],
    run: async (session, services, flags) => {
      const orchestration = await session.orchestration();
      const { backend, signal } = orchestration;
      const selection = await session.select(services);
      const members = chosenOf(await observeProject(orchestration, selection.name), selection);
      const images = new Map<string, Promise<ImageRecord>>();
      const found = await Promise.all(
        members.map(async (member) => {
          const { imageId } = member.container;
          const image = images.get(imageId) ?? backend.images.inspect(imageId, { signal });
          images.set(imageId, image);
          return { member, image: await image };
        }),
      );
      return printImages(session, found, flags);
    },
    remote: async () => (await import('../remote/inventory.js')).images,
  });
}

export function volumesCommand(compose: Command, io: Io): void {
  define<InventoryFlags>(compose, io, {
    usage: 'volumes [services...]',
    description: 'list the named volumes of the project',
    options: (command) => command.option('--format <format>', FORMAT_HELP).option('-q, --quiet', 'names only'),
    run: async (session, services, flags) => {
      const orchestration = await session.orchestration();
      const { backend, signal } = orchestration;
      const selection = await session.select(services);
      const found = await backend.volumes.list({ labels: { [LABELS.project]: selection.name }, signal });
      const volumes = await volumesOf(found, selection, () => observeProject(orchestration, selection.name));
      return printVolumes(session, volumes, flags);
    },
    remote: async () => (await import('../remote/inventory.js')).volumes,
  });
}
