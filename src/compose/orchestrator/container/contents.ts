/** Secrets and configs whose content is copied into the container before it starts. */
import { createHash, scryptSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FileContent } from '../../model/file-content.js';
import { failure } from '../../model/errors.js';
import type { Project } from '../../model/project/project.js';
import type { FileToPut } from '../../runtime/spec.js';
import { optionalField } from './optional-field.js';
import { givenFiles, isMounted, type GivenFile } from './mounts.js';
import { errorCode } from '@plumbline/contract/system/error-code';

/** The files copied into a service's containers, and their digest. */
export interface Contents {
  readonly files: readonly FileToPut[];
  /** Part of the configuration hash, so that changed content recreates the container. Absent if nothing is copied. */
  readonly digest?: string;
}

/**
 * Reads the files to copy into a service's containers. Mounted files are left to the engine: their content may change
 * under a running container, as users expect of a mount.
 *
 * @param held the values of secrets and configs with `environment:`, by `<section>.<name>`
 * @throws ComposeFailure YamlError.unreadable for a file that cannot be read
 */
export async function readContents(
  project: Project,
  service: string,
  held: ReadonlyMap<string, FileContent>,
): Promise<Contents> {
  const copied = givenFiles(project, service).filter((file) => !isMounted(file));
  if (copied.length === 0) return { files: [] };
  const files = await Promise.all(
    copied.map(async (file) => ({
      path: file.target,
      content: await contentOf(project, file, held),
      ...optionalField('mode', file.reference.mode),
      ...optionalField('uid', numeric(file.reference.uid)),
      ...optionalField('gid', numeric(file.reference.gid)),
    })),
  );
  return { files, digest: digestOf(files, copied, `${project.name}/${service}`) };
}

/**
 * The content of a secret or config.
 *
 * @param held as for {@link readContents}
 * @throws ComposeFailure YamlError.unreadable for a file that cannot be read
 */
export async function contentOf(
  project: Project,
  file: GivenFile,
  held: ReadonlyMap<string, FileContent>,
): Promise<Buffer> {
  const { section, reference } = file;
  if (file.file !== undefined) {
    return readFile(file.file).catch((error: unknown) => {
      const reason = errorCode(error) ?? 'it cannot be opened';
      throw failure('YamlError', 'unreadable', { path: file.file ?? '', reason });
    });
  }
  const inline = section === 'configs' ? project.configs[reference.source]?.content : undefined;
  const content = inline ?? held.get(`${section}.${reference.source}`) ?? '';
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(content);
}

function numeric(id: string | undefined): number | undefined {
  return id === undefined || !/^\d+$/.test(id) ? undefined : Number(id);
}

/** Everyone who may list containers can read labels, so the digest uses a function that is slow to brute-force. */
function digestOf(files: readonly FileToPut[], sources: readonly GivenFile[], salt: string): string {
  const hash = createHash('sha256');
  files.forEach(({ path, content, mode, uid, gid }, index) => {
    const digest =
      sources[index]?.section === 'secrets'
        ? scryptSync(content, `${salt}${path}`, 32)
        : createHash('sha256').update(content).digest();
    hash.update(JSON.stringify([path, mode, uid, gid])).update(digest);
  });
  return hash.digest('hex');
}
