/** Which builds wait for those of other services. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { imageOf } from '../model/project/listings.js';
import type { Project } from '../model/project/project.js';
import type { Service } from '../model/project/service.js';
import type { Build } from '../model/project/workload.js';

const FROM = /^\s*FROM\s+(?:--\S+\s+)*(\S+)/gimu;

/**
 * For each service the services that are built before it: those of `additional_contexts`, and those of `depends_on`
 * whose image is a base of its Dockerfile.
 */
export async function buildOrder(project: Project): Promise<ReadonlyMap<string, readonly string[]>> {
  const orders = Object.entries(project.services).map(async ([name, service]) => {
    const bases = await baseServices(project, service);
    return [name, [...buildDependencies(service), ...bases]] as const;
  });
  return new Map(await Promise.all(orders));
}

/** Other services that a build names as its contexts. */
export function buildDependencies({ build }: Service): string[] {
  const contexts = [build?.context ?? '', ...Object.values(build?.additional_contexts ?? {})];
  return contexts.filter((each) => each.startsWith('service:')).map((each) => each.slice('service:'.length));
}

async function baseServices(project: Project, { build, depends_on: dependencies }: Service): Promise<string[]> {
  const built = Object.keys(dependencies ?? {}).filter((name) => project.services[name]?.build !== undefined);
  if (build === undefined || built.length === 0) return [];
  const bases = Array.from((await dockerfileOf(build)).matchAll(FROM), ([, base = '']) => base);
  // What a variable stands for may be the image of any of them.
  if (bases.some((base) => base.includes('$'))) return built;
  const images = new Set(bases.map(tagged));
  return built.filter((name) => images.has(tagged(imageOf(project, name))));
}

/** Empty if it cannot be read, which the build reports, or if it is not on this machine. */
async function dockerfileOf({
  context = '',
  dockerfile = 'Dockerfile',
  dockerfile_inline: inline,
}: Build): Promise<string> {
  if (inline !== undefined) return inline;
  if (!path.isAbsolute(context)) return '';
  return readFile(path.resolve(context, dockerfile), 'utf8').catch(() => '');
}

function tagged(image: string): string {
  return /[:@][^/]*$/u.test(image) ? image : `${image}:latest`;
}
