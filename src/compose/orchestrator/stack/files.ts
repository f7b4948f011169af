/**
 * Secrets and configs of a project. A swarm cannot change them, so the name of each has a digest of its content: changed
 * content is a new one, to which the services are updated.
 */
import { createHash, scryptSync } from 'node:crypto';
import type Docker from 'dockerode';
import type { FileContent } from '../../model/file-content.js';
import type { Project } from '../../model/project/project.js';
import type { ClusterFile, ClusterOperations, ClusterService, FileKind } from '../../runtime/cluster.js';
import { isEngineFailure, isRuntimeError, notFound, notSupported } from '../../runtime/errors.js';
import { objectOf, objectsOf, textOf } from '../../runtime/json.js';
import { STACK_LABEL } from '../../runtime/swarm/labels.js';
import { contentOf } from '../container/contents.js';
import { givenFiles, type GivenFile } from '../container/mounts.js';
import { LABELS } from '../labels.js';
import { reported, type Orchestration } from '../orchestration.js';

/** What a service mounts. */
export interface FileReferences {
  readonly secrets: readonly Docker.SecretReference[];
  readonly configs: readonly Docker.ConfigReference[];
}

const DIGEST_LENGTH = 12;
/** The most characters in the name of a secret or config of a swarm. */
const LONGEST_NAME = 64;
/** The largest contents that a swarm stores, in bytes. */
const LARGEST: Readonly<Record<FileKind, number>> = { secrets: 512_000, configs: 1_024_000 };
const KINDS: readonly FileKind[] = ['secrets', 'configs'];

/**
 * Checks that the swarm can store the contents that services use, before anything is changed.
 *
 * @param held as for {@link ensureFiles}
 * @throws RuntimeError.notSupported
 * @throws ComposeFailure YamlError.unreadable for a file that cannot be read
 */
export async function requireStorable(project: Project, held: ReadonlyMap<string, FileContent>): Promise<void> {
  for (const file of Object.keys(project.services).flatMap((name) => givenFiles(project, name))) {
    const { section, reference } = file;
    if (project[section][reference.source]?.external === true) continue;
    const { length } = await contentOf(project, file, held);
    const problem = length === 0 ? 'without content' : `of more than ${LARGEST[section]} bytes`;
    if (length === 0 || length > LARGEST[section]) {
      throw notSupported(`${section}.${reference.source} ${problem}`, 'swarm');
    }
  }
}

/**
 * Creates the missing ones that services use.
 *
 * @param held the values of those with `environment:`, by `<section>.<name>`
 * @returns the references of each service
 * @throws ComposeFailure YamlError.unreadable for a file that cannot be read
 * @throws RuntimeError.notFound for an external one
 */
export async function ensureFiles(
  orchestration: Orchestration,
  cluster: ClusterOperations,
  project: Project,
  held: ReadonlyMap<string, FileContent>,
): Promise<ReadonlyMap<string, FileReferences>> {
  const { signal } = orchestration;
  const [secrets, configs] = await Promise.all(KINDS.map((kind) => cluster.files[kind].list({ signal })));
  const present = { secrets: secrets ?? [], configs: configs ?? [] };
  const made = new Map<string, Promise<ClusterFile>>();
  const find = (file: GivenFile): Promise<ClusterFile> => {
    const key = `${file.section}.${file.reference.source}`;
    const found = made.get(key) ?? ensureFile(orchestration, cluster, project, file, held, present[file.section]);
    made.set(key, found);
    return found;
  };
  const references = Object.keys(project.services).map(async (name): Promise<[string, FileReferences]> => {
    const files = await Promise.all(givenFiles(project, name).map(async (file) => ({ file, made: await find(file) })));
    const of = (kind: FileKind): typeof files => files.filter(({ file }) => file.section === kind);
    return [
      name,
      {
        secrets: of('secrets').map((each) => ({
          SecretID: each.made.id,
          SecretName: each.made.name,
          File: placeOf(each.file),
        })),
        configs: of('configs').map((each) => ({
          ConfigID: each.made.id,
          ConfigName: each.made.name,
          File: placeOf(each.file),
        })),
      },
    ];
  });
  return new Map(await Promise.all(references));
}

function placeOf({ target, reference: { uid = '0', gid = '0', mode = 0o444 } }: GivenFile): {
  Name: string;
  UID: string;
  GID: string;
  Mode: number;
} {
  return { Name: target, UID: uid, GID: gid, Mode: mode };
}

async function ensureFile(
  orchestration: Orchestration,
  cluster: ClusterOperations,
  project: Project,
  file: GivenFile,
  held: ReadonlyMap<string, FileContent>,
  present: readonly ClusterFile[],
): Promise<ClusterFile> {
  const { section, reference } = file;
  const definition = project[section][reference.source];
  const given = definition?.name ?? reference.source;
  if (definition?.external === true) {
    const found = present.find(({ name }) => name === given);
    if (found === undefined) throw notFound(given);
    return found;
  }
  const content = await contentOf(project, file, held);
  const name = `${given.slice(0, LONGEST_NAME - DIGEST_LENGTH - 1)}_${digestOf(section, `${project.name}/${reference.source}`, content)}`;
  const found = present.find((each) => each.name === name && each.labels[STACK_LABEL] === project.name);
  if (found !== undefined) return found;
  const labels = {
    ...definition?.labels,
    ...orchestration.labels,
    [STACK_LABEL]: project.name,
    [LABELS.project]: project.name,
  };
  const kind = section === 'secrets' ? 'Secret' : 'Config';
  return reported(orchestration, kind, name, ['Creating', 'Created'], () =>
    cluster.files[section].create({ name, labels, content }, { signal: orchestration.signal }),
  );
}

/** Names can be listed by everyone who may list services, so that of a secret needs a function that is slow to guess. */
function digestOf(section: FileKind, salt: string, content: Buffer): string {
  const digest = section === 'secrets' ? scryptSync(content, salt, 32) : createHash('sha256').update(content).digest();
  return digest.toString('hex').slice(0, DIGEST_LENGTH);
}

/**
 * Removes those of the project that no service uses, and no rollback would need. Others of the stack stay: a secret that
 * somebody added to it cannot be read back.
 */
export async function removeUnusedFiles(
  orchestration: Orchestration,
  cluster: ClusterOperations,
  project: string,
): Promise<void> {
  const { signal } = orchestration;
  const filter = { labels: { [STACK_LABEL]: project, [LABELS.project]: project }, signal };
  const used = new Set((await cluster.services.list({ signal })).flatMap(usedBy));
  await Promise.all(
    KINDS.map(async (kind) => {
      for (const { id, name } of await cluster.files[kind].list(filter)) {
        if (used.has(id)) continue;
        await reported(
          orchestration,
          kind === 'secrets' ? 'Secret' : 'Config',
          name,
          ['Removing', 'Removed'],
          async () => {
            try {
              await cluster.files[kind].remove(id, { signal });
            } catch (error) {
              // Another command began to use it, or removed it. The next one finds out.
              if (!isEngineFailure(error) && !isRuntimeError(error, 'notFound')) throw error;
            }
          },
        );
      }
    }),
  );
}

function usedBy({ spec, previousSpec }: ClusterService): string[] {
  return [spec, previousSpec].flatMap((each) => {
    const container = objectOf(objectOf(each.TaskTemplate).ContainerSpec);
    return [
      ...objectsOf(container.Secrets).map(({ SecretID }) => textOf(SecretID)),
      ...objectsOf(container.Configs).map(({ ConfigID }) => textOf(ConfigID)),
    ];
  });
}
