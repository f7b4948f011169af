/**
 * Lint rule: a handler returns exactly what its operation documents.
 *
 * TypeScript checks that a returned object has what its type asks for. It looks for extra properties only in literals
 * whose expected type is written down, and the return type of a handler is inferred. This rule compares the type of each
 * returned expression with the operation's replies, property by property.
 */
import { AST_NODE_TYPES, ESLintUtils, type TSESTree } from '@typescript-eslint/utils';
import ts from 'typescript';

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

    const check = (handler: FunctionNode): void => {
      const replies = repliesOf(checker, services.esTreeNodeToTSNodeMap.get(handler));
      if (replies === undefined) return;
      for (const returned of returnedBy(handler)) {
        const type = services.getTypeAtLocation(returned);
        const path = extraProperty(checker, checker.getAwaitedType(type) ?? type, replies);
        if (path !== undefined) context.report({ node: returned, messageId: 'extra', data: { path } });
      }
    };
    return { ArrowFunctionExpression: check, FunctionExpression: check };
  },
});

/** The documented replies, where the function is written for the generated type of an operation's handler. */
function repliesOf(checker: ts.TypeChecker, node: ts.Node): ts.Type | undefined {
  const expected = ts.isExpression(node) ? checker.getContextualType(node) : undefined;
  const [signature] = expected?.getCallSignatures() ?? [];
  const declared: ts.Node | undefined = signature?.getDeclaration().parent;
  if (signature === undefined || declared === undefined || !ts.isTypeAliasDeclaration(declared)) return undefined;
  if (declared.name.text !== 'OperationHandler') return undefined;
  const returned = signature.getReturnType();
  return checker.getAwaitedType(returned) ?? returned;
}

/** The expressions that a function returns, without those of functions inside it. */
function returnedBy(handler: FunctionNode): readonly TSESTree.Expression[] {
  if (handler.body.type !== AST_NODE_TYPES.BlockStatement) return alternatives(handler.body);
  const found: TSESTree.Expression[] = [];
  const visit = (node: TSESTree.Node): void => {
    if (node.type === AST_NODE_TYPES.ReturnStatement && node.argument !== null)
      found.push(...alternatives(node.argument));
    if (/Function/.test(node.type)) return;
    for (const child of childrenOf(node)) visit(child);
  };
  for (const statement of handler.body.body) visit(statement);
  return found;
}

/** Both sides of a condition: the type of the whole leaves out what one side has more than the other. */
function alternatives(expression: TSESTree.Expression): readonly TSESTree.Expression[] {
  if (expression.type === AST_NODE_TYPES.ConditionalExpression) {
    return [...alternatives(expression.consequent), ...alternatives(expression.alternate)];
  }
  if (expression.type === AST_NODE_TYPES.LogicalExpression)
    return [...alternatives(expression.left), ...alternatives(expression.right)];
  return [expression];
}

function childrenOf(node: TSESTree.Node): readonly TSESTree.Node[] {
  return Object.entries(node)
    .filter(([key]) => key !== 'parent')
    .flatMap(([, value]: [string, unknown]): readonly unknown[] => (Array.isArray(value) ? value : [value]))
    .filter((value): value is TSESTree.Node => typeof value === 'object' && value !== null && 'type' in value);
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
    const [items, expectedItems] = [actual, expected].map((type) => type.getNumberIndexType());
    if (items === undefined || expectedItems === undefined || !checker.isArrayLikeType(expected)) return undefined;
    const path = extraProperty(checker, items, expectedItems, seen);
    return path === undefined ? undefined : `[].${path}`;
  }
  return firstOf(actual.getProperties(), (property) => {
    const documented = expected.getProperty(property.name);
    const type = checker.getTypeOfSymbol(property);
    // `body?: never` documents that there is none.
    if (documented === undefined) return isAbsent(type) ? undefined : property.name;
    const path = extraProperty(checker, type, checker.getTypeOfSymbol(documented), seen);
    return path === undefined ? undefined : `${property.name}.${path}`;
  });
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
