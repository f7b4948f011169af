/** A folder with artifacts (OCI Image Layout 1.0.0). */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { objectOf, objectsOf, parseJson, textOf } from '../runtime/json.js';
import { ARTIFACT_TYPE, type ComposeArtifact } from './compose-artifact.js';
import type { Content } from './descriptor.js';

const TAG = 'org.opencontainers.image.ref.name';

/**
 * Writes an artifact into a layout, which is made if there is none. An artifact with the same tag is replaced in the
 * index; its parts remain.
 */
export async function writeLayout(directory: string, tag: string, artifact: ComposeArtifact): Promise<void> {
  const { config, layers, manifest } = artifact;
  await mkdir(path.join(directory, 'blobs', 'sha256'), { recursive: true });
  for (const content of [config, ...layers, manifest]) await writeFile(fileOf(directory, content), content.bytes);
  const others = (await manifestsIn(directory)).filter(({ annotations }) => textOf(objectOf(annotations)[TAG]) !== tag);
  const { mediaType, digest, bytes } = manifest;
  const added = { mediaType, artifactType: ARTIFACT_TYPE, digest, size: bytes.length, annotations: { [TAG]: tag } };
  const index = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [...others, added],
  };
  await writeFile(path.join(directory, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  await writeFile(path.join(directory, 'index.json'), JSON.stringify(index));
}

function fileOf(directory: string, { digest }: Content): string {
  return path.join(directory, 'blobs', ...digest.split(':'));
}

async function manifestsIn(directory: string): Promise<ReturnType<typeof objectsOf>> {
  const text = await readFile(path.join(directory, 'index.json'), 'utf8').catch(() => '');
  return objectsOf(objectOf(parseJson(text))['manifests']);
}
