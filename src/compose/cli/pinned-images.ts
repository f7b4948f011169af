/** Pins the images of services to their digests, for `config` and `publish`. */
import type { Project } from '../model/project/project.js';
import { mapValues } from '../model/project/records.js';
import { pinImages } from '../registry/digests.js';
import { objectOf, textOf, type Json } from '../runtime/json.js';
import type { Session } from './session.js';

interface MayHaveImage {
  readonly image?: string;
}

/** @throws RegistryError */
export async function withPinnedImages(session: Session, project: Project): Promise<Project> {
  const pin = await pinning(session, Object.values(project.services));
  return { ...project, services: mapValues(project.services, pin) };
}

/**
 * The same for services of a model with unreplaced variables. An image with a variable cannot be pinned.
 *
 * @throws RegistryError
 */
export async function pinnedServices(session: Session, services: Json): Promise<Record<string, MayHaveImage>> {
  const read = mapValues(services, (value): MayHaveImage => {
    const service = objectOf(value);
    return service['image'] === undefined ? withoutImage(service) : { ...service, image: textOf(service['image']) };
  });
  return mapValues(read, await pinning(session, Object.values(read)));
}

function withoutImage({ image: _none, ...service }: Json): MayHaveImage {
  return service;
}

/** An override file with nothing but the images. */
export function imagesOnly(services: Readonly<Record<string, MayHaveImage>>): Json {
  return { services: mapValues(services, ({ image }) => (image === undefined ? {} : { image })) };
}

async function pinning(
  { io, signal }: Session,
  services: readonly MayHaveImage[],
): Promise<<S extends MayHaveImage>(service: S) => S> {
  const images = services.flatMap(({ image }) => (image === undefined ? [] : [image]));
  const pinned = await pinImages(images, { environment: io.environment, signal });
  return (service) => {
    const image = pinned.get(service.image ?? '');
    return image === undefined ? service : { ...service, image };
  };
}
