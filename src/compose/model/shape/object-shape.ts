import { failure } from '../errors.js';
import { isNull, plain } from '../node.js';
import type { Entry, MapNode, Node, Path } from '../node.js';
import { directive, mapEntries, mergeMaps } from './collection-shapes.js';
import { isOpenTemplate, unexpected } from './shape.js';
import type { Shape } from './shape.js';

/** The fields of `T`, each with the shape of its type. Excludes extensions (`x-`). */
export type Fields<T> = {
  readonly [K in keyof T as K extends `x-${string}` ? never : K]-?: Shape<Exclude<T[K], undefined>>;
};

export interface ObjectOptions<T> {
  /** Fields that the merged value must have. */
  readonly required?: readonly (keyof T & string)[];
  /** Defaults for fields absent from the merged value. */
  readonly defaults?: Partial<T>;
  /** Whether `x-` keys are allowed; they are kept as plain data. */
  readonly extensions?: boolean;
  /** Expands short syntax to a mapping; undefined if the value is neither. */
  readonly short?: (node: Node, path: Path) => MapNode | undefined;
  /** The name of the short form in errors. */
  readonly shortExpected?: string;
  /** Transforms the mapping before its fields are checked, for example a deprecated spelling. */
  readonly prepare?: (node: MapNode, path: Path) => MapNode;
  /** Replaces merging field by field. */
  readonly merge?: (base: Node, over: Node, path: Path, byField: () => Node) => Node;
  /** Makes paths absolute that cannot be recognized by their field alone. */
  readonly locate?: Shape<T>['locate'];
}

/**
 * A mapping with fixed keys. Unknown keys are errors with their location, unless they start with `x-`.
 *
 * @param fields one shape per field of `T`
 */
export function objectOf<T extends object>(fields: Fields<T>, options: ObjectOptions<T> = {}): Shape<T> {
  const shapes = new Map<string, Shape<unknown>>(Object.entries<Shape<unknown>>(fields));
  const { extensions = true, required = [] } = options;
  const expected = options.shortExpected === undefined ? 'a mapping' : `${options.shortExpected} or a mapping`;
  const isExtension = (key: string): boolean => extensions && key.startsWith('x-');
  return {
    expected,
    canonical(node, path, mode) {
      if (isOpenTemplate(node, mode) && node.kind !== 'map') return node;
      const written = node.kind === 'map' ? node : options.short?.(node, path);
      if (written === undefined) throw unexpected(expected, node, path);
      const prepared = options.prepare?.(written, path) ?? written;
      const entries = new Map<string, Entry>();
      for (const [key, entry] of prepared.entries) {
        const shape = shapes.get(key);
        if (shape === undefined && !isExtension(key)) {
          throw failure('ComposeValidationError', 'unknownKey', { path, key }, entry.place);
        }
        const isKept = shape === undefined || entry.value.directive === 'reset';
        entries.set(key, isKept ? entry : { ...entry, value: shape.canonical(entry.value, [...path, key], mode) });
      }
      return { ...prepared, entries, ...directive(node) };
    },
    merge(base, over, path) {
      const byField = (): Node => mergeMaps(base, over, path, (key) => shapes.get(key));
      return options.merge?.(base, over, path, byField) ?? byField();
    },
    locate(node, locator) {
      if (node.kind !== 'map') return node;
      const located = mapEntries(node, (key, value) => shapes.get(key)?.locate(value, locator) ?? value);
      return options.locate?.(located, locator) ?? located;
    },
    read(node, path) {
      if (node.kind !== 'map') throw unexpected(expected, node, path);
      for (const key of required) {
        if (!node.entries.has(key)) throw failure('ComposeValidationError', 'missingKey', { path, key }, node.place);
      }
      const value: Record<string, unknown> = { ...options.defaults };
      for (const [key, entry] of node.entries) {
        const shape = shapes.get(key);
        if (shape !== undefined) {
          const field = shape.read(entry.value, [...path, key]);
          if (field !== null) value[key] = field;
        } else if (isExtension(key) && !isNull(entry.value)) {
          value[key] = plain(entry.value);
        }
      }
      // The table has one shape per field of T, each returning that field's type, and required fields were checked.
      return value as T;
    },
  };
}
