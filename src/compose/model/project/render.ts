import { Document, Scalar, visit } from 'yaml';
import { withoutUnusedResources } from './listings.js';
import type { Json } from '../node.js';
import { printed } from './printed.js';
import type { Project } from './project.js';
import { mapValues } from './records.js';
import { resolvePlainScalar } from '../loader/scalars.js';
import type { Service } from './service.js';

export type ConfigFormat = 'yaml' | 'json';

/**
 * Prints the project as a compose file in canonical form, as `docker compose config` does: enabled services and the
 * resources they use, with dollar signs doubled so that the text can be loaded again.
 *
 * @param options `allResources` also prints resources that no enabled service uses
 */
export function renderConfig(
  project: Project,
  format: ConfigFormat,
  options: { readonly allResources?: boolean } = {},
): string {
  const shown = options.allResources === true ? project : withoutUnusedResources(project);
  return renderModel(configData(shown, format), format).replaceAll('$', '$$$$');
}

/**
 * Prints a model with unreplaced variables, for `config --no-interpolate`.
 *
 * @param model plain data
 */
export function renderModel(model: unknown, format: ConfigFormat): string {
  return format === 'json' ? `${JSON.stringify(model, null, 2)}\n` : yamlText(model);
}

function configData(project: Project, format: ConfigFormat): Json {
  const services = mapValues(project.services, (service, name) => serviceData(service, name, format));
  const networks = format === 'json' ? withIpam(project) : project.networks;
  const sections: Readonly<Record<string, Readonly<Record<string, object>>>> = {
    networks,
    volumes: project.volumes,
    secrets: project.secrets,
    configs: project.configs,
    models: project.models,
  };
  const filled = Object.entries(sections)
    .filter(([, section]) => Object.keys(section).length > 0)
    .map(([section, resources]) => [section, mapValues(resources, withoutEmptyName)] as const);
  return { name: project.name, services, ...toJson(Object.fromEntries(filled)), ...project.extensions };
}

/** Without defaults, a resource may have no name. */
function withoutEmptyName(resource: object): object {
  if (!('name' in resource) || resource.name !== '') return resource;
  const { name: _name, ...rest } = resource;
  return rest;
}

/** In JSON every network has `ipam`, as in the reference implementation. */
function withIpam(project: Project): Project['networks'] {
  return mapValues(project.networks, (network) => ({ ...network, ipam: network.ipam ?? {} }));
}

function serviceData(service: Service, name: string, format: ConfigFormat): Json {
  const nothing = format === 'json' ? { command: null, entrypoint: null } : {};
  return printed(toJson({ ...nothing, ...service }), ['services', name]);
}

/** Converts the project, which is plain data, to a type that the compiler knows as JSON. */
function toJson(value: object): Record<string, Json> {
  return JSON.parse(JSON.stringify(value)) as Record<string, Json>;
}

/** YAML with the same meaning under 1.1 and 1.2: strings that some parser reads as another type are quoted. */
function yamlText(model: unknown): string {
  const document = new Document(model, { version: '1.1', aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && resolvePlainScalar(node.value) !== node.value)
        node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ lineWidth: 0, directives: false });
}
