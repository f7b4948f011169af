import { failure } from '../errors.js';
import { list, scalar } from '../node.js';
import type { Entry, MapNode, Node, ScalarNode } from '../node.js';
import { expandTemplate, MAX_TEMPLATE_DEPTH, TemplateError } from './template.js';
import type { Lookup } from './template.js';

/**
 * Replaces the variables in every string value of a file; keys are not changed (Compose Specification,
 * "Interpolation"). Each changed scalar keeps its original text, so that no error shows a variable's value.
 *
 * @param onUnset called for each unset variable without a default
 * @throws ComposeFailure of the InterpolationError family, with the location of the value
 */
export function interpolate<N extends Node>(node: N, lookup: Lookup, onUnset: (variable: string) => void): N;
export function interpolate(node: Node, lookup: Lookup, onUnset: (variable: string) => void): Node {
  if (node.kind === 'scalar') return interpolateScalar(node, lookup, onUnset);
  if (node.kind === 'list') {
    return {
      ...list(
        node.items.map((item) => interpolate(item, lookup, onUnset)),
        node.place,
      ),
      ...directive(node),
    };
  }
  return interpolateMap(node, lookup, onUnset);
}

function interpolateMap(node: MapNode, lookup: Lookup, onUnset: (variable: string) => void): MapNode {
  const entries = new Map<string, Entry>();
  for (const [key, entry] of node.entries) {
    entries.set(key, { ...entry, value: interpolate(entry.value, lookup, onUnset) });
  }
  return { ...node, entries };
}

function interpolateScalar(node: ScalarNode, lookup: Lookup, onUnset: (variable: string) => void): ScalarNode {
  if (typeof node.value !== 'string' || !node.value.includes('$')) return node;
  try {
    const value = expandTemplate(node.value, lookup, onUnset);
    return value === node.value ? node : { ...scalar(value, node.place, node.value), ...directive(node) };
  } catch (error) {
    if (error instanceof TemplateError) throw templateFailure(error, node.value, node.place);
    throw error;
  }
}

/** The failure for a value with a template that cannot be expanded. */
export function templateFailure(error: TemplateError, template: string, place: ScalarNode['place']): Error {
  const { problem, variable, reason } = error;
  if (problem === 'requiredVariable') {
    return failure('InterpolationError', 'requiredVariable', { variable, reason }, place);
  }
  return problem === 'nestedTooDeeply'
    ? failure('InterpolationError', 'nestedTooDeeply', { maximum: MAX_TEMPLATE_DEPTH }, place)
    : failure('InterpolationError', 'invalidTemplate', { template }, place);
}

function directive(node: Node): Pick<Node, 'directive'> {
  return node.directive === undefined ? {} : { directive: node.directive };
}
