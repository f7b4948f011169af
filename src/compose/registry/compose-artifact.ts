/** A project as an artifact in a registry, with the media types of docker compose. */
import { contentOf, embedded, type Content } from './descriptor.js';

/** 1.1 says what an artifact is. In 1.0, which older registries know, only the type of its configuration does. */
export type OciVersion = '1.0' | '1.1';

export const ARTIFACT_TYPE = 'application/vnd.docker.compose.project';
export const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';
export const COMPOSE_FILE_TYPE = 'application/vnd.docker.compose.file+yaml';
export const ENV_FILE_TYPE = 'application/vnd.docker.compose.envfile';
export const CONFIG_TYPES = {
  '1.0': 'application/vnd.docker.compose.config.empty.v1+json',
  '1.1': 'application/vnd.oci.empty.v1+json',
} as const;

export const FILE_NAME = 'com.docker.compose.file';
export const ENV_FILE_NAME = 'com.docker.compose.envfile';
export const IS_EXTENDED = 'com.docker.compose.extends';

/** @param isExtended a service of another file extends one of this file */
export function composeFileLayer(name: string, bytes: Uint8Array, isExtended = false): Content {
  return contentOf(COMPOSE_FILE_TYPE, bytes, { ...(isExtended && { [IS_EXTENDED]: 'true' }), [FILE_NAME]: name });
}

export function envFileLayer(name: string, bytes: Uint8Array): Content {
  return contentOf(ENV_FILE_TYPE, bytes, { [ENV_FILE_NAME]: name });
}

export interface ComposeArtifact {
  readonly config: Content;
  readonly layers: readonly Content[];
  readonly manifest: Content;
}

export function composeArtifact(layers: readonly Content[], version: OciVersion, created: Date): ComposeArtifact {
  const config = contentOf(CONFIG_TYPES[version], Buffer.from('{}'));
  const manifest = {
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    ...(version === '1.1' && { artifactType: ARTIFACT_TYPE }),
    config: embedded(config),
    layers: layers.map(embedded),
    annotations: { 'org.opencontainers.image.created': created.toISOString().replace(/\.\d+Z$/, 'Z') },
  };
  return { config, layers, manifest: contentOf(MANIFEST_TYPE, Buffer.from(JSON.stringify(manifest))) };
}
