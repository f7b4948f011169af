/** Compares the type of a value with the type that is documented for it, property by property. */
import ts from 'typescript';
import { contradicts, isObject, outermost, type Scope, type Source, type Sources } from './value-sources.js';

/**
 * Finds the path of a property that no matching alternative of the documented type has; undefined if there is none.
 */
export type FindExtra = (source: Source, documented: ts.Type) => string | undefined;

/** Pairs under comparison, because types can contain themselves. */
type Compared = Map<Scope, Map<ts.Type, Set<ts.Type>>>;

/** Creates the comparison. */
export function createFindExtra(checker: ts.TypeChecker, sources: Sources): FindExtra {
  const extraProperty = (source: Source, expected: ts.Type, compared: Compared): string | undefined => {
    const { type } = source;
    if (!hasObjects(expected) || (type === expected && !showsMore(checker, source))) return undefined;
    if (type.isUnion()) {
      return firstOf(type.types, (each) => extraProperty({ ...source, type: each }, expected, compared));
    }
    // What shows more than its type is never read within itself.
    if (!showsMore(checker, source) && isRepeated(source, expected, compared)) return undefined;
    const matching = (expected.isUnion() ? expected.types : [expected]).filter((each) => isMeant(checker, type, each));
    // What matches nothing is the compiler's to report.
    const extras = matching.map((each) => extraIn(source, each, compared, new Set()));
    return extras.includes(undefined) ? undefined : extras[0];
  };

  const extraIn = (
    source: Source,
    expected: ts.Type,
    compared: Compared,
    replaced: ReadonlySet<string>,
  ): string | undefined => {
    const { type, scope } = source;
    if (!isPlainObject(checker, expected)) {
      const [items, expectedItems] = [type, expected].map((each) => itemsOf(checker, each));
      if (items === undefined || expectedItems === undefined) return undefined;
      const all: readonly Source[] = [...sources.ofItems(source), { type: items, expression: undefined, scope }];
      const path = firstOf(all, (each) => extraProperty(each, expectedItems, compared));
      return path === undefined ? undefined : `[].${path}`;
    }
    const properties = isObject(type) ? type.getProperties().filter(({ name }) => !replaced.has(name)) : [];
    const found = firstOf(properties, (property) => {
      const documented = expected.getProperty(property.name);
      // `body?: never` documents that there is none.
      if (documented === undefined) return isAbsent(checker.getTypeOfSymbol(property)) ? undefined : property.name;
      const expectedType = checker.getTypeOfSymbol(documented);
      if (!hasObjects(expectedType)) return undefined;
      const path = firstOf(sources.ofProperty(property, scope), (each) => extraProperty(each, expectedType, compared));
      return path === undefined ? undefined : `${property.name}.${path}`;
    });
    return found ?? extraInSpreads(source, expected, compared, replaced);
  };

  /** The type of `{ ...(condition ? a : b) }` leaves out what one side has more. */
  const extraInSpreads = (
    { expression, scope }: Source,
    expected: ts.Type,
    compared: Compared,
    replaced: ReadonlySet<string>,
  ): string | undefined => {
    if (expression === undefined || !ts.isObjectLiteralExpression(expression)) return undefined;
    const later = new Set(replaced);
    for (const part of expression.properties.toReversed()) {
      if (!ts.isSpreadAssignment(part)) {
        later.add(part.name.getText());
        continue;
      }
      const spread = sources.of(part.expression, scope).filter((each) => each.expression !== part.expression);
      const path = firstOf(spread, (each) => extraIn(each, expected, compared, later));
      if (path !== undefined) return path;
      for (const { name, flags } of checker.getTypeAtLocation(part.expression).getProperties())
        if ((flags & ts.SymbolFlags.Optional) === 0) later.add(name);
    }
    return undefined;
  };

  return (source, documented) => extraProperty(source, documented, new Map());
}

/** A value of which only the type is known. */
export function valueOf(type: ts.Type): Source {
  return { type, expression: undefined, scope: outermost };
}

/** Whether the type lists its properties: no array, no type of a library's class, no dictionary. */
export function isPlainObject(checker: ts.TypeChecker, type: ts.Type): boolean {
  return (
    isObject(type) &&
    !checker.isArrayLikeType(type) &&
    type.getCallSignatures().length === 0 &&
    type.getStringIndexType() === undefined &&
    type.getProperties().every((property) => !property.name.startsWith('__@'))
  );
}

/** Whether an expression can show more than its type. */
function showsMore(checker: ts.TypeChecker, { expression, type }: Source): boolean {
  if (expression === undefined) return false;
  if (ts.isObjectLiteralExpression(expression) || ts.isArrayLiteralExpression(expression)) return true;
  return ts.isCallExpression(expression) && !isPlainObject(checker, type); // the items of a list
}

/** Whether the pair has been compared before; notes it. */
function isRepeated({ type, scope }: Source, expected: ts.Type, compared: Compared): boolean {
  const here = compared.get(scope) ?? new Map<ts.Type, Set<ts.Type>>();
  const others = here.get(type) ?? new Set();
  if (others.has(expected)) return true;
  compared.set(scope, here.set(type, others.add(expected)));
  return false;
}

/** Whether no constant (`status: 200`) of this alternative of a union contradicts the actual type. */
function isMeant(checker: ts.TypeChecker, actual: ts.Type, alternative: ts.Type): boolean {
  if (!isObject(actual) || !isObject(alternative)) return isObject(actual) === isObject(alternative);
  return alternative.getProperties().every((property) => {
    const given = actual.getProperty(property.name);
    return given === undefined || !contradicts(checker, given, property);
  });
}

/** The type of the items of a list or of a stream; undefined for other types. */
function itemsOf(checker: ts.TypeChecker, type: ts.Type): ts.Type | undefined {
  if (checker.isArrayLikeType(type)) return type.getNumberIndexType();
  const iterates = type.getProperties().some(({ name }) => name.startsWith('__@asyncIterator'));
  if (!iterates || (type.flags & ts.TypeFlags.Object) === 0) return undefined;
  return checker.getTypeArguments(type as ts.TypeReference)[0];
}

/** Whether values of this type can be objects whose properties are documented. */
function hasObjects(type: ts.Type): boolean {
  return type.isUnion() ? type.types.some(isObject) : isObject(type);
}

function isAbsent(type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Never)) !== 0;
}

function firstOf<Item>(items: readonly Item[], find: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
