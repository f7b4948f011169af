import fc from 'fast-check';
import { entries, record, resolve } from '../documents.js';
import { patternOf } from '../pattern.js';
import {
  branchesOf,
  isOfFormat,
  merged,
  namedTypes,
  numberAt,
  propertiesOf,
  range,
  valuesOf,
  type Making,
  type Schema,
  type Values,
} from '../values/arbitrary.js';
import { longest, resized } from './spoil.js';

/** Values with an edge; null: too long to be sent. */
type Edge = Values | null;

/** A schema within another one. */
interface Place {
  readonly schema: unknown;
  /** How many objects and lists are around the place. */
  readonly depth: number;
  /** How many branches led to the place: a branch may refer to the schema that it is a branch of. */
  readonly branches: number;
  /** Values of the outer schema with these values at the place. */
  readonly around: (values: Values) => Values;
}

/** Edges further inside are not planned. */
const deepest = 3;
const mostBranches = 5;
/** More edges of one schema, and more places in it, are not planned. */
const mostEdges = 150;
const mostPlaces = 5000;

/**
 * The edges of a schema: the shortest and the longest text or list, the lowest and the highest number, 0, null, and an
 * object without what is optional in it. Each is an entry, with values that have the edge somewhere; those further inside
 * come last.
 *
 * @param making how the values around an edge are made
 */
export function edgesOf(making: Making, schema: unknown): Edge[] {
  const places: Place[] = [{ schema, depth: 0, branches: 0, around: (values) => values }];
  const edges: Edge[] = [];
  // More places are found while the list is read.
  for (const place of places) {
    const whole = merged(making.document, record(resolve(making.document, place.schema)));
    const branches = branchesOf(whole);
    const hasBranches = branches.length > 0;
    if (!hasBranches) edges.push(...ownEdges(making, whole).map((values) => values && place.around(values)));
    const inner = hasBranches
      ? branches.map((branch) => ({ ...place, schema: branch, branches: place.branches + 1 }))
      : innerPlaces(making, whole, place);
    if (edges.length >= mostEdges) break;
    const near = inner.filter((each) => each.depth <= deepest && each.branches <= mostBranches);
    places.push(...near.slice(0, Math.max(0, mostPlaces - places.length)));
  }
  return edges.slice(0, mostEdges);
}

function innerPlaces(making: Making, schema: Schema, { depth, branches, around }: Place): Place[] {
  const inside = { depth: depth + 1, branches };
  const types = namedTypes(schema);
  const objects = valuesOf(making, { ...schema, type: 'object' });
  const properties = types.includes('object') ? propertiesOf(making, schema) : [];
  const { items, prefixItems, maxItems } = schema;
  const hasItems = types.includes('array') && items !== undefined && prefixItems === undefined && maxItems !== 0;
  const lists = valuesOf(making, { ...schema, type: 'array' });
  return [
    ...properties.map(([name, property]) => ({
      ...inside,
      schema: property,
      around: (values: Values) =>
        around(fc.tuple(objects, values).map(([object, value]) => ({ ...record(object), [name]: value }))),
    })),
    ...(hasItems ? [items] : []).map((item) => ({
      ...inside,
      schema: item,
      around: (values: Values) =>
        around(fc.tuple(lists, values).map(([list, value]) => [value, ...entries(list).slice(1)])),
    })),
  ];
}

function ownEdges(making: Making, schema: Schema): Edge[] {
  if ('const' in schema) return [];
  if ('enum' in schema) return entries(schema['enum']).includes(null) ? [fc.constant(null)] : [];
  return namedTypes(schema).flatMap((type) => {
    switch (type) {
      case 'object':
        return objectEdges(making, schema);
      case 'array':
        return listEdges(making, schema);
      case 'string':
        return textEdges(making, schema);
      case 'integer':
      case 'number':
        return numbersAtEdges(schema, type).map((value) => fc.constant(value));
      case 'null':
        return [fc.constant(null)];
      default:
        return [];
    }
  });
}

function objectEdges(making: Making, schema: Schema): Edge[] {
  const { additionalProperties, minProperties, maxProperties } = schema;
  const isMap = typeof additionalProperties === 'object';
  const sizes = isMap ? sizesIn(minProperties, maxProperties).filter((size) => size > 0) : [];
  return [
    valuesOf(making, { ...schema, type: 'object' }),
    ...sizes.map((size) => sized(size, () => valuesOf(making, { ...schema, type: 'object', minProperties: size }))),
  ];
}

function listEdges(making: Making, schema: Schema): Edge[] {
  return sizesIn(schema['minItems'] ?? 0, schema['maxItems']).map((size) =>
    sized(size, () => valuesOf(making, { ...schema, type: 'array', minItems: size, maxItems: size })),
  );
}

function textEdges(making: Making, schema: Schema): Edge[] {
  const { pattern } = schema;
  const expression = typeof pattern === 'string' ? patternOf(pattern) : null;
  const texts = valuesOf(making, { ...schema, type: 'string' });
  return sizesIn(schema['minLength'] ?? 0, schema['maxLength']).flatMap((size) => {
    if (size === 0 && (isOfFormat(schema) || expression?.test('') === false)) return [];
    return [sized(size, () => texts.map((text) => textOfSize(String(text), size, expression)))];
  });
}

/** A text of a size, which matches the expression where one of some usual ways leads to such a text. */
function textOfSize(text: string, size: number, expression: RegExp | null): unknown {
  const usual = [text, text + text.slice(-1).repeat(size), '', '0'.repeat(size), 'A'.repeat(size)];
  const texts = usual.map((each) => resized(each, size));
  return texts.find((each) => expression?.test(String(each)) !== false) ?? texts[0];
}

/** 0, and the lowest and the highest number. */
function numbersAtEdges(schema: Schema, type: 'integer' | 'number'): number[] {
  const { multipleOf, exclusiveMinimum, exclusiveMaximum, format } = schema;
  const step = numberAt(multipleOf) ?? (type === 'integer' ? 1 : null);
  const largest = Math.max(1, ...[exclusiveMinimum, exclusiveMaximum].map((limit) => Math.abs(numberAt(limit) ?? 0)));
  const [low, high] = range(schema, step ?? Number.EPSILON * largest);
  const [min, max] = format === 'int32' ? [Math.max(low, -(2 ** 31)), Math.min(high, 2 ** 31 - 1)] : [low, high];
  const edges = step === null ? [min, max] : [Math.ceil(min / step) * step, Math.floor(max / step) * step];
  return [...new Set([0, ...edges])].filter((value) => Number.isFinite(value) && value >= min && value <= max);
}

/** The sizes that a schema names, each once. */
function sizesIn(...limits: readonly unknown[]): number[] {
  return [...new Set(limits.filter((limit) => typeof limit === 'number'))];
}

/** Values of a size; null: longer than what is sent. */
function sized(size: number, values: () => Values): Edge {
  return size > longest ? null : values();
}
