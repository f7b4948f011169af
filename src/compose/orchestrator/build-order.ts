/** Which builds wait for those of other services. */
import path from 'node:path';
import { imageOf, serviceContexts } from '../model/project/listings.js';
import type { Project } from '../model/project/project.js';
import type { Service } from '../model/project/service.js';
import type { Build } from '../model/project/workload.js';
import { qualifyImage } from '../runtime/image-reference.js';
import { readRegularFile } from '@plumbline/contract/system/regular-file';

/** Names of images in a Dockerfile: `FROM x`, `COPY --from=x`, `RUN --mount=from=x`. No pattern crosses a line. */
const BASES = [/^[^\S\r\n]*FROM[^\S\r\n]+(?:--\S+[^\S\r\n]+)*(\S+)/gimu, /\bfrom=([^\s,]+)/giu];
const IMAGE_CONTEXT = 'docker-image://';

type Edges = Map<string, readonly string[]>;

/**
 * For each service the services that are built before it: those of `additional_contexts`, and those of `depends_on`
 * whose image its Dockerfile uses, unless they wait for it.
 */
export async function buildOrder(project: Project): Promise<ReadonlyMap<string, readonly string[]>> {
  const services = Object.entries(project.services);
  const order: Edges = new Map(services.map(([name, service]) => [name, serviceContexts(service)]));
  for (const [name, service] of services) {
    for (const base of await baseServices(project, service))
      if (!isReachable(order, base, name)) order.set(name, [...(order.get(name) ?? []), base]);
  }
  return order;
}

function isReachable(edges: Edges, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const name of seen) {
    if (name === to) return true;
    for (const next of edges.get(name) ?? []) seen.add(next);
  }
  return false;
}

async function baseServices(project: Project, { build, depends_on: dependencies }: Service): Promise<string[]> {
  const built = Object.keys(dependencies ?? {}).filter((name) => project.services[name]?.build !== undefined);
  if (build === undefined || built.length === 0) return [];
  const images = await usedImages(build);
  // What a variable stands for may be the image of any of them.
  if (images.some((image) => image.includes('$'))) return built;
  const used = new Set(images.map((image) => qualifyImage(image)));
  return built.filter((name) => used.has(qualifyImage(imageOf(project, name))));
}

async function usedImages(build: Build): Promise<string[]> {
  const contexts = Object.values(build.additional_contexts ?? {}).filter((each) => each.startsWith(IMAGE_CONTEXT));
  const dockerfile = await dockerfileOf(build);
  const bases = BASES.flatMap((pattern) => Array.from(dockerfile.matchAll(pattern), ([, image = '']) => image));
  return [...contexts.map((each) => each.slice(IMAGE_CONTEXT.length)), ...bases];
}

/** Empty if it cannot be read, which the build reports, or if it is not on this machine. */
async function dockerfileOf({
  context = '',
  dockerfile = 'Dockerfile',
  dockerfile_inline: inline,
}: Build): Promise<string> {
  if (inline !== undefined) return inline;
  if (!path.isAbsolute(context)) return '';
  const file = await readRegularFile(path.resolve(context, dockerfile)).catch(() => undefined);
  return file?.toString('utf8') ?? '';
}
