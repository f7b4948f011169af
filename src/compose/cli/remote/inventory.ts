/** images and volumes on a server. */
import { listImages, listVolumes, type Schemas } from '@plumbline/sdk/compose';
import { LABELS } from '../../orchestrator/labels.js';
import { imageNotFound } from '../../runtime/errors.js';
import type { Handler } from '../command.js';
import type { InventoryFlags } from '../flags.js';
import { chosenOf, volumesOf } from '../inventory.js';
import { printImages } from '../print/images.js';
import { printVolumes } from '../print/volumes.js';
import { connect } from './connection.js';
import { allMembers, allPages } from './members.js';

export const images: Handler<InventoryFlags> = async (session, services, flags) => {
  const selection = await session.select(services);
  const remote = await connect(session);
  const { client, signal, ask } = remote;
  const members = chosenOf(await allMembers(remote, selection.name), selection);
  const listed = await allPages((page): Promise<Schemas['ImageList']> =>
    ask(listImages(client, { query: page, signal })),
  );
  const byId = new Map(listed.map((image) => [withoutAlgorithm(image.id), image]));
  const found = members.map((member) => {
    const image = byId.get(withoutAlgorithm(member.container.imageId));
    if (image === undefined) throw imageNotFound(member.container.image);
    const { id, tags, created_at: createdAt, size_bytes: sizeBytes, labels } = image;
    return { member, image: { id, tags, createdAt, sizeBytes, labels } };
  });
  return printImages(session, found, flags);
};

export const volumes: Handler<InventoryFlags> = async (session, services, flags) => {
  const selection = await session.select(services);
  const remote = await connect(session);
  const { client, signal, ask } = remote;
  const label = [`${LABELS.project}=${selection.name}`];
  const listed = await allPages((page): Promise<Schemas['VolumeList']> =>
    ask(listVolumes(client, { query: { ...page, label }, signal })),
  );
  const found = listed.map(({ name, driver, labels }) => ({ name, driver, labels }));
  return printVolumes(session, await volumesOf(found, selection, () => allMembers(remote, selection.name)), flags);
};

/** Engines write `sha256:` before the id in some replies. */
function withoutAlgorithm(id: string): string {
  return id.replace(/^sha256:/, '');
}
