/**
 * Lint rule: a handler returns exactly what its operation documents.
 *
 * TypeScript checks that a returned object has what its type asks for. It looks for extra properties only in literals
 * whose expected type is written down, and the return type of a handler is inferred. This rule compares the type of each
 * returned expression with the operation's replies, property by property.
 *
 * It reads handlers that are written where their type is expected (arrow functions, function expressions, methods), and
 * references to functions or to objects of functions. A variable whose written type has fewer properties than its value hides the others from this
 * rule; the serializer drops them.
 */
import { AST_NODE_TYPES, ESLintUtils, type TSESTree } from '@typescript-eslint/utils';
import ts from 'typescript';
import { returnedBy, sourcesOf } from './returned-expressions.js';

type FunctionNode = TSESTree.ArrowFunctionExpression | TSESTree.FunctionExpression;

export const exactReplies = ESLintUtils.RuleCreator.withoutDocs<[], 'extra'>({
  meta: {
    type: 'problem',
    schema: [],
    messages: { extra: 'The contract does not document {{path}} in this reply.' },
  },
  create(context) {
    const services = ESLintUtils.getParserServices(context);
    const checker = services.program.getTypeChecker();
    /** By type of an object, because most types are expected many times. */
    const handlersOf = new Map<ts.Type, ReadonlyMap<string, ts.Type>>();

    const compare = (returned: readonly ts.Expression[], replies: ts.Type, handler: TSESTree.Node): void => {
      for (const expression of returned) {
        const path = extraProperty(checker, awaited(checker, checker.getTypeAtLocation(expression)), replies);
        if (path === undefined) continue;
        const own = expression.getSourceFile() === services.program.getSourceFile(context.filename);
        const node = own ? services.tsNodeToESTreeNodeMap.get(expression) : handler;
        context.report({ node, messageId: 'extra', data: { path } });
      }
    };
    const checkFunction = (handler: FunctionNode): void => {
      const node = services.esTreeNodeToTSNodeMap.get(handler);
      const replies = repliesOf(checker, node);
      if (replies !== undefined) compare(returnedBy(checker, node), replies, handler);
    };
    const checkReference = (handler: TSESTree.Node): void => {
      if (!isReference(handler)) return;
      const node = services.esTreeNodeToTSNodeMap.get(handler);
      const replies = repliesOf(checker, node);
      const type = checker.getTypeAtLocation(node);
      if (replies === undefined) compareMembers(type, expectedType(checker, node), handler);
      else compareSignatures(type, replies, handler);
    };
    const compareMembers = (type: ts.Type, expected: ts.Type | undefined, owner: TSESTree.Node): void => {
      if (expected === undefined) return;
      const handlers = handlersOf.get(expected) ?? handlersIn(checker, expected);
      handlersOf.set(expected, handlers);
      for (const [name, replies] of handlers) {
        const member = type.getProperty(name);
        if (member !== undefined) compareSignatures(checker.getTypeOfSymbol(member), replies, owner);
      }
    };
    const compareSignatures = (type: ts.Type, replies: ts.Type, handler: TSESTree.Node): void => {
      for (const signature of type.getCallSignatures()) {
        if (isOperationHandler(signature)) continue; // It is checked where it is written.
        const returned = returnedBy(checker, signature.declaration);
        compare(returned, replies, handler);
        if (returned.length > 0) continue;
        const path = extraProperty(checker, awaited(checker, signature.getReturnType()), replies);
        if (path !== undefined) context.report({ node: handler, messageId: 'extra', data: { path } });
      }
    };
    return {
      ArrowFunctionExpression: checkFunction,
      FunctionExpression: checkFunction,
      SpreadElement: ({ argument, parent }: TSESTree.SpreadElement) => {
        if (parent.type !== AST_NODE_TYPES.ObjectExpression) return;
        const [type, expected] = [argument, parent].map((each) => services.esTreeNodeToTSNodeMap.get(each));
        if (type === undefined || expected === undefined) return;
        compareMembers(checker.getTypeAtLocation(type), expectedType(checker, expected), argument);
      },
      'VariableDeclarator > .init': checkReference,
      'Property > .value': checkReference,
      'PropertyDefinition > .value': checkReference,
      'AssignmentExpression > .right': checkReference,
      'ReturnStatement > .argument': checkReference,
      'ArrowFunctionExpression > .body': checkReference,
      'CallExpression > .arguments': checkReference,
      'ConditionalExpression > .consequent': checkReference,
      'ConditionalExpression > .alternate': checkReference,
    };
  },
});

function isReference(node: TSESTree.Node): boolean {
  return (
    node.type === AST_NODE_TYPES.Identifier ||
    node.type === AST_NODE_TYPES.MemberExpression ||
    node.type === AST_NODE_TYPES.CallExpression
  );
}

/** The documented replies, where a function is expected that has the generated type of an operation's handler. */
function repliesOf(checker: ts.TypeChecker, node: ts.Node): ts.Type | undefined {
  const expected = expectedType(checker, node);
  return expected === undefined ? undefined : repliesIn(checker, expected);
}

/** The members of an object's type that are handlers of operations, with their replies. */
function handlersIn(checker: ts.TypeChecker, type: ts.Type): ReadonlyMap<string, ts.Type> {
  const found = new Map<string, ts.Type>();
  for (const member of isPlainObject(checker, type) ? type.getProperties() : []) {
    const replies = repliesIn(checker, checker.getTypeOfSymbol(member));
    if (replies !== undefined) found.set(member.name, replies);
  }
  return found;
}

/** The replies of a handler's type; undefined for other types. */
function repliesIn(checker: ts.TypeChecker, type: ts.Type): ts.Type | undefined {
  const signature = checker.getNonNullableType(type).getCallSignatures().find(isOperationHandler);
  return signature === undefined ? undefined : awaited(checker, signature.getReturnType());
}

function expectedType(checker: ts.TypeChecker, node: ts.Node): ts.Type | undefined {
  if (!ts.isMethodDeclaration(node)) return ts.isExpression(node) ? checker.getContextualType(node) : undefined;
  const owners = ts.isClassLike(node.parent)
    ? (node.parent.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => checker.getTypeAtLocation(type)))
    : [checker.getContextualType(node.parent)];
  const declared = owners.map((owner) => owner?.getProperty(node.name.getText())).find((each) => each !== undefined);
  return declared === undefined ? undefined : checker.getNonNullableType(checker.getTypeOfSymbol(declared));
}

function isOperationHandler(signature: ts.Signature): boolean {
  const alias = signature.declaration?.parent;
  return alias !== undefined && ts.isTypeAliasDeclaration(alias) && alias.name.text === 'OperationHandler';
}

function awaited(checker: ts.TypeChecker, type: ts.Type): ts.Type {
  return checker.getAwaitedType(type) ?? type;
}

/**
 * Returns the path of a property that no matching alternative of the expected type has; undefined if there is none.
 *
 * @param seen pairs under comparison, because types can contain themselves
 */
function extraProperty(
  checker: ts.TypeChecker,
  actual: ts.Type,
  expected: ts.Type,
  seen = new Map<ts.Type, Set<ts.Type>>(),
): string | undefined {
  if (
    actual === expected ||
    (expected.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0 ||
    seen.get(actual)?.has(expected)
  )
    return undefined;
  seen.set(actual, (seen.get(actual) ?? new Set()).add(expected));
  if (actual.isUnion()) {
    return firstOf(actual.types, (each) => extraProperty(checker, each, expected, seen));
  }
  const matching = (expected.isUnion() ? expected.types : [expected]).filter((each) => isMeant(checker, actual, each));
  // What matches nothing is the compiler's to report.
  const extras = matching.map((each) => extraIn(checker, actual, each, seen));
  return extras.includes(undefined) ? undefined : extras[0];
}

/** Whether no constant (`status: 200`) of this alternative of a union contradicts the actual type. */
function isMeant(checker: ts.TypeChecker, actual: ts.Type, alternative: ts.Type): boolean {
  const isObject = (type: ts.Type): boolean => (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
  if (!isObject(actual) || !isObject(alternative)) return isObject(actual) === isObject(alternative);
  return alternative.getProperties().every((property) => {
    const given = actual.getProperty(property.name);
    const constant = checker.getTypeOfSymbol(property);
    if (given === undefined || !constant.isLiteral()) return true;
    const type = checker.getTypeOfSymbol(given);
    return !type.isLiteral() || type.value === constant.value;
  });
}

function extraIn(
  checker: ts.TypeChecker,
  actual: ts.Type,
  expected: ts.Type,
  seen: Map<ts.Type, Set<ts.Type>>,
): string | undefined {
  if (!isPlainObject(checker, expected)) {
    const [items, expectedItems] = [actual, expected].map((type) => itemsOf(checker, type));
    if (items === undefined || expectedItems === undefined) return undefined;
    const path = extraProperty(checker, items, expectedItems, seen);
    return path === undefined ? undefined : `[].${path}`;
  }
  return firstOf(actual.getProperties(), (property) => {
    const documented = expected.getProperty(property.name);
    const type = checker.getTypeOfSymbol(property);
    // `body?: never` documents that there is none.
    if (documented === undefined) return isAbsent(type) ? undefined : property.name;
    const path = firstOf(typesOf(checker, property), (each) =>
      extraProperty(checker, each, checker.getTypeOfSymbol(documented), seen),
    );
    return path === undefined ? undefined : `${property.name}.${path}`;
  });
}

/** The types of a property's possible values: the type of a condition leaves out what one side has more. */
function typesOf(checker: ts.TypeChecker, property: ts.Symbol): readonly ts.Type[] {
  const written = property.valueDeclaration;
  return written !== undefined && ts.isPropertyAssignment(written)
    ? sourcesOf(checker, written.initializer).map((source) => awaited(checker, checker.getTypeAtLocation(source)))
    : [checker.getTypeOfSymbol(property)];
}

/** The type of the items of a list or of a stream; undefined for other types. */
function itemsOf(checker: ts.TypeChecker, type: ts.Type): ts.Type | undefined {
  if (checker.isArrayLikeType(type)) return type.getNumberIndexType();
  const iterates = type.getProperties().some(({ name }) => name.startsWith('__@asyncIterator'));
  if (!iterates || (type.flags & ts.TypeFlags.Object) === 0) return undefined;
  return checker.getTypeArguments(type as ts.TypeReference)[0];
}

/** Whether the type lists its properties: no array, no type of a library's class, no dictionary. */
function isPlainObject(checker: ts.TypeChecker, type: ts.Type): boolean {
  const isObject = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
  return (
    isObject &&
    !checker.isArrayLikeType(type) &&
    type.getCallSignatures().length === 0 &&
    type.getStringIndexType() === undefined &&
    type.getProperties().every((property) => !property.name.startsWith('__@'))
  );
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
