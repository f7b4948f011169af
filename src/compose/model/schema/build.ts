import { map, textOf } from '../node.js';
import type { Build } from '../project/workload.js';
import { locatePath } from '../normalize/mounts.js';
import { mapEntries, pairs } from '../shape/collection-shapes.js';
import { objectOf } from '../shape/object-shape.js';
import { flag, memory, text, textLike } from '../shape/scalar-shapes.js';
import type { Shape } from '../shape/shape.js';
import {
  additionalContexts,
  contextPath,
  distinctTexts,
  environment,
  extraHosts,
  fileReferences,
  labels,
  textOrTexts,
  texts,
  ulimits,
} from './fields.js';

const sshAgents = pairs({ bare: 'null' });

const ssh: Shape<Record<string, string | null>> = {
  ...sshAgents,
  locate: (node, locator) => (node.kind === 'map' ? mapEntries(node, (_, value) => locatePath(value, locator)) : node),
};

export const build = objectOf<Build>(
  {
    context: contextPath,
    dockerfile: text,
    dockerfile_inline: text,
    entitlements: texts,
    args: environment,
    ssh,
    labels,
    cache_from: texts,
    cache_to: texts,
    no_cache: flag,
    no_cache_filter: textOrTexts,
    additional_contexts: additionalContexts,
    network: text,
    provenance: textLike,
    sbom: textLike,
    pull: flag,
    target: text,
    shm_size: memory(),
    extra_hosts: extraHosts,
    isolation: text,
    privileged: flag,
    secrets: fileReferences('/run/secrets'),
    tags: distinctTexts,
    ulimits,
    platforms: texts,
  },
  {
    shortExpected: 'a path',
    short: (node) => (textOf(node) === undefined ? undefined : map([['context', node]], node.place)),
  },
);
