/** Secrets, configs and single files that are mounted: their objects, and their mounts. */
import { isUtf8 } from 'node:buffer';
import { failure } from '../model/errors.js';
import type { Mount } from '../model/project/service.js';
import { contentOf } from '../orchestrator/container/contents.js';
import { givenFiles, type GivenFile } from '../orchestrator/container/mounts.js';
import { optionalField } from '../orchestrator/container/optional-field.js';
import { readRegularFile } from '@plumbline/contract/system/regular-file';
import { metadataOf, nameOf, type Conversion } from './conversion.js';
import type { ConfigMap, Manifest, PodVolume, Secret, VolumeMount } from './manifests.js';

/** What the cluster stores in one ConfigMap or Secret. */
const MOST_BYTES = 1_048_576;
const KEY = 'content';

/** A volume of a pod and where its containers have it. */
export interface Mounted {
  readonly volume: PodVolume;
  readonly mount: VolumeMount;
}

/** The objects of the secrets and configs that services use. Those that are external exist already. */
export async function fileObjects(conversion: Conversion): Promise<Manifest[]> {
  const { project } = conversion;
  const used = new Map(
    Object.keys(project.services)
      .flatMap((service) => givenFiles(project, service))
      .map((file) => [`${file.section}.${file.reference.source}`, file]),
  );
  const objects: Manifest[] = [];
  for (const file of [...used.values()].filter((each) => !isExternal(conversion, each))) {
    const { section, reference } = file;
    const content = await contentOf(project, file, conversion.held);
    const name = nameOf(conversion, section, reference.source);
    objects.push(section === 'secrets' ? secret(conversion, name, content) : configMap(conversion, name, content));
  }
  return objects;
}

function isExternal({ project }: Conversion, { section, reference }: GivenFile): boolean {
  return project[section][reference.source]?.external === true;
}

function secret(conversion: Conversion, name: string, content: Buffer): Secret {
  requireSize(name, content);
  const metadata = metadataOf(conversion, name);
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data: { [KEY]: content.toString('base64') } };
}

function configMap(conversion: Conversion, name: string, content: Buffer): ConfigMap {
  requireSize(name, content);
  const data = isUtf8(content)
    ? { data: { [KEY]: content.toString() } }
    : { binaryData: { [KEY]: content.toString('base64') } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadataOf(conversion, name), ...data };
}

function requireSize(name: string, { length }: Buffer): void {
  if (length <= MOST_BYTES) return;
  const reason = `a cluster stores at most 1 MiB in one object, and ${name} has ${length} bytes`;
  throw failure('ComposeValidationError', 'unsupported', { path: [name], reason });
}

/** The mounts of a service's secrets and configs. */
export function givenMounts(conversion: Conversion, service: string): Mounted[] {
  const { project, notes } = conversion;
  return givenFiles(project, service).map((file, index) => {
    const { section, reference, target } = file;
    if (reference.uid !== undefined || reference.gid !== undefined) {
      notes.add(
        `services.${service}.${section}.${reference.source}`,
        'belongs to root: uid and gid have no counterpart',
      );
    }
    const own = project[section][reference.source];
    const name = own?.external === true ? own.name : nameOf(conversion, section, reference.source);
    const items = [{ key: KEY, path: KEY, ...optionalField('mode', reference.mode) }];
    const volume: PodVolume =
      section === 'secrets'
        ? { name: `secret-${index}`, secret: { secretName: name, items } }
        : { name: `config-${index}`, configMap: { name, items } };
    return { volume, mount: { name: volume.name, mountPath: target, subPath: KEY, readOnly: true } };
  });
}

/**
 * The ConfigMap and the mount of a host file; null for a directory or a file that is missing, which a cluster does not
 * have.
 */
export async function hostFile(
  conversion: Conversion,
  name: string,
  { source = '', target }: Mount,
): Promise<(Mounted & { readonly object: ConfigMap }) | null> {
  const content = await readRegularFile(source, MOST_BYTES).catch(() => null);
  if (content === null) return null;
  const volume = { name, configMap: { name, items: [{ key: KEY, path: KEY }] } };
  const mount = { name, mountPath: target, subPath: KEY, readOnly: true } as const;
  return { volume, mount, object: configMap(conversion, name, content) };
}
