import { failure } from '../errors.js';
import { child, map, scalar, textOf, withEntries, type MapNode, type Path } from '../node.js';
import { locateVolumeDevice } from '../normalize/mounts.js';
import type { Config, Ipam, IpamPool, Model, Network, Secret, Volume } from '../project/project.js';
import type { Service } from '../project/service.js';
import type { Extensible } from '../project/shared-fields.js';
import { listOf, RESOURCE_NAME, recordOf } from '../shape/collection-shapes.js';
import { objectOf } from '../shape/object-shape.js';
import { flag, integer, nullable, text } from '../shape/scalar-shapes.js';
import type { Shape } from '../shape/shape.js';
import { driverOptions, filePath, inputFile, inputFiles, labels, texts } from './fields.js';
import { service } from './service.js';

/** Resources as in the files; normalization assigns the missing names. */
type Unnamed<T extends { name: string }> = Omit<T, 'name'> & { name?: string };

export interface Include {
  path: string[];
  env_file?: string[];
  project_directory?: string;
}

export interface ComposeFile extends Extensible {
  version?: string;
  name?: string;
  include?: Include[];
  services?: Record<string, Service>;
  networks?: Record<string, Unnamed<Network> | null>;
  volumes?: Record<string, Unnamed<Volume> | null>;
  secrets?: Record<string, Unnamed<Secret>>;
  configs?: Record<string, Unnamed<Config>>;
  models?: Record<string, Model>;
}

/** `external: {name: x}` is the deprecated form of `external: true` and `name: x`. */
function adoptExternalName(node: MapNode, path: Path): MapNode {
  const external = node.entries.get('external');
  if (external?.value.kind !== 'map') return node;
  const named = child(external.value, 'name');
  const own = textOf(child(node, 'name'));
  if (named !== undefined && own !== undefined && own !== textOf(named)) {
    throw failure('ComposeValidationError', 'conflict', { path, reason: 'name and external.name differ' }, named.place);
  }
  const unknown = [...external.value.entries].find(([key]) => key !== 'name' && !key.startsWith('x-'));
  if (unknown !== undefined) {
    throw failure(
      'ComposeValidationError',
      'unknownKey',
      { path: [...path, 'external'], key: unknown[0] },
      unknown[1].place,
    );
  }
  const entries = new Map(node.entries);
  entries.set('external', { ...external, value: scalar(true, external.value.place) });
  if (named !== undefined) entries.set('name', { place: named.place, value: named });
  return withEntries(node, entries);
}

const RESOURCE = { prepare: adoptExternalName };

/** Address pools of a network are identified by subnet. */
const pools: Shape<IpamPool[]> = listOf(
  objectOf<IpamPool>({ subnet: text, ip_range: text, gateway: text, aux_addresses: recordOf(text) }),
  { merge: { uniqueBy: (entry) => textOf(child(entry, 'subnet')) ?? '' } },
);

const network = objectOf<Unnamed<Network>>(
  {
    name: text,
    driver: text,
    driver_opts: driverOptions,
    ipam: objectOf<Ipam>({ driver: text, config: pools, options: recordOf(text) }),
    external: flag,
    internal: flag,
    attachable: flag,
    enable_ipv4: flag,
    enable_ipv6: flag,
    labels,
  },
  RESOURCE,
);

const volume = objectOf<Unnamed<Volume>>(
  { name: text, driver: text, driver_opts: driverOptions, external: flag, labels },
  { ...RESOURCE, locate: locateVolumeDevice },
);

const secret = objectOf<Unnamed<Secret>>(
  {
    name: text,
    file: filePath,
    environment: text,
    external: flag,
    labels,
    driver: text,
    driver_opts: driverOptions,
    template_driver: text,
  },
  RESOURCE,
);

const config = objectOf<Unnamed<Config>>(
  { name: text, file: filePath, environment: text, content: text, external: flag, labels, template_driver: text },
  RESOURCE,
);

const model = objectOf<Model>(
  { name: text, model: text, context_size: integer, runtime_flags: texts },
  { required: ['model'] },
);

const include = objectOf<Include>(
  { path: inputFiles, env_file: inputFiles, project_directory: inputFile },
  {
    required: ['path'],
    extensions: false,
    shortExpected: 'a path',
    short: (node) => (textOf(node) === undefined ? undefined : map([['path', node]], node.place)),
  },
);

const names = { names: RESOURCE_NAME };

/** Every key allowed at the top level of a compose file. */
export const composeFile = objectOf<ComposeFile>({
  version: text,
  name: text,
  include: listOf(include),
  services: recordOf(service, names),
  networks: recordOf(nullable(network), names),
  volumes: recordOf(nullable(volume), names),
  secrets: recordOf(secret, names),
  configs: recordOf(config, names),
  models: recordOf(model, names),
});
