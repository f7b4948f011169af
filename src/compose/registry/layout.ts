/** A folder with artifacts (OCI Image Layout 1.0.0). */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile } from '@plumbline/contract/system/replace-file';
import { objectOf, objectsOf, parseJson, textOf, type Json } from '../runtime/json.js';
import { ARTIFACT_TYPE, type ComposeArtifact } from './compose-artifact.js';
import type { Content } from './descriptor.js';
import { RegistryError } from './errors.js';

const TAG = 'org.opencontainers.image.ref.name';
const READABLE = 0o644;

/**
 * Writes an artifact into a layout, which is made if there is none. An artifact with the same tag is replaced in the
 * index; its parts, and the other members of the index, remain.
 *
 * @throws RegistryError.invalidLayout for an index that cannot be read; nothing is written then
 */
export async function writeLayout(directory: string, tag: string, artifact: ComposeArtifact): Promise<void> {
  const { config, layers, manifest } = artifact;
  const file = path.join(directory, 'index.json');
  const index = await readIndex(file);
  await mkdir(path.join(directory, 'blobs', 'sha256'), { recursive: true });
  for (const content of [config, ...layers, manifest]) await writeFile(fileOf(directory, content), content.bytes);
  const others = objectsOf(index['manifests']).filter(({ annotations }) => textOf(objectOf(annotations)[TAG]) !== tag);
  const { mediaType, digest, bytes } = manifest;
  const added = { mediaType, artifactType: ARTIFACT_TYPE, digest, size: bytes.length, annotations: { [TAG]: tag } };
  const version = JSON.stringify({ imageLayoutVersion: '1.0.0' });
  await replaceFile(path.join(directory, 'oci-layout'), version, READABLE);
  await replaceFile(file, JSON.stringify({ ...index, manifests: [...others, added] }), READABLE);
}

function fileOf(directory: string, { digest }: Content): string {
  return path.join(directory, 'blobs', ...digest.split(':'));
}

async function readIndex(file: string): Promise<Json> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const code = textOf(objectOf(error)['code']);
    if (code === 'ENOENT') return undefined;
    throw new RegistryError('invalidLayout', `${file} cannot be read (${code}).`, { cause: error });
  });
  if (text === undefined) return { schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json' };
  const index = objectOf(parseJson(text));
  const { schemaVersion, manifests } = index;
  const isValid = schemaVersion === 2 && Array.isArray(manifests) && objectsOf(manifests).length === manifests.length;
  if (isValid) return index;
  throw new RegistryError(
    'invalidLayout',
    `${file} is not the index of an OCI image layout. Repair or remove it, or name another directory.`,
  );
}
