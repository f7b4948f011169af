/**
 * Lint rule: a handler returns exactly what its operation documents.
 *
 * TypeScript checks that a returned object has what its type asks for. It looks for extra properties only in literals
 * whose expected type is written down. This rule compares every value that a function can return with the operation's
 * replies, property by property. It reads
 *
 * - handlers that are written where their type is expected (arrow functions, function expressions, methods), and
 *   references to functions or to objects of functions;
 * - every other function whose return type, written or expected, is a generated reply type, or a promise of one.
 *
 * It follows values through conditions, variables, spreads, destructuring, and calls (`value-sources.ts`). It cannot see
 * what only a written type describes: rows of a database and other values from outside the program, an argument of a
 * function that only others call, a property that is added later (`Object.assign(body, …)`), items that are added later
 * (`push`) or that methods of lists other than `map`, `filter` and the like give, a variable that a loop or a
 * destructuring assignment sets, the entries of a dictionary, values of type `any`, and what is more than eight calls
 * away. The serializer drops extra properties of a body that nothing has found; the check of replies refuses headers.
 */
import { AST_NODE_TYPES, ESLintUtils, type TSESTree } from '@typescript-eslint/utils';
import ts from 'typescript';
import { createFindExtra, isPlainObject, valueOf } from './extra-properties.js';
import { createSources, type Source } from './value-sources.js';

type FunctionNode = TSESTree.ArrowFunctionExpression | TSESTree.FunctionExpression | TSESTree.FunctionDeclaration;

export const exactReplies = ESLintUtils.RuleCreator.withoutDocs<[], 'extra'>({
  meta: {
    type: 'problem',
    schema: [],
    messages: { extra: 'The contract does not document {{path}} in this reply.' },
  },
  create(context) {
    const services = ESLintUtils.getParserServices(context);
    const checker = services.program.getTypeChecker();
    const sources = createSources(checker);
    const findExtra = createFindExtra(checker, sources);
    /** By type of an object, because most types are expected many times. */
    const handlersOf = new Map<ts.Type, ReadonlyMap<string, ts.Type>>();
    /** What has been reported: several functions can return the same value. */
    const reported = new Set<ts.Node>();

    const compare = (returned: readonly (readonly Source[])[], replies: ts.Type, handler: TSESTree.Node): void => {
      for (const values of returned) {
        for (const source of values) {
          const path = findExtra(source, replies);
          if (path === undefined) continue;
          const { expression } = source;
          const isOwn = expression?.getSourceFile() === services.program.getSourceFile(context.filename);
          const node = expression !== undefined && isOwn ? services.tsNodeToESTreeNodeMap.get(expression) : handler;
          const place = services.esTreeNodeToTSNodeMap.get(node);
          if (!reported.has(place)) context.report({ node, messageId: 'extra', data: { path } });
          reported.add(place);
          break; // One report for each `return` is enough.
        }
      }
    };
    const checkFunction = (handler: FunctionNode): void => {
      const node = services.esTreeNodeToTSNodeMap.get(handler);
      const replies = repliesOf(checker, node) ?? repliesReturnedBy(checker, node);
      if (replies !== undefined) compare(sources.returnedBy(node), replies, handler);
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
        const returned = sources.returnedBy(signature.declaration);
        const own = valueOf(awaited(checker, signature.getReturnType()));
        compare(returned.length > 0 ? returned : [[own]], replies, handler);
      }
    };
    return {
      ArrowFunctionExpression: checkFunction,
      FunctionExpression: checkFunction,
      FunctionDeclaration: checkFunction,
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

/** The replies that a function returns by its type, where that is written or expected to be a generated reply type. */
function repliesReturnedBy(checker: ts.TypeChecker, node: ts.SignatureDeclaration): ts.Type | undefined {
  if (node.type !== undefined)
    return namesReply(checker, node.type) ? awaited(checker, checker.getTypeFromTypeNode(node.type)) : undefined;
  const signatures = expectedType(checker, node)?.getCallSignatures() ?? [];
  const expected = signatures.map((each) => awaited(checker, each.getReturnType()));
  return expected.find((type) => isReply(type));
}

/** Whether a written type contains a generated reply type: `Promise<UpdateViewReply | null>`. */
function namesReply(checker: ts.TypeChecker, type: ts.TypeNode): boolean {
  if (ts.isTypeReferenceNode(type) && isReply(checker.getTypeFromTypeNode(type))) return true;
  return ts.forEachChild(type, (each) => ts.isTypeNode(each) && namesReply(checker, each)) ?? false;
}

/** Whether this is one of the `...Reply` types of `generated/<api>/operations.ts`. */
function isReply({ aliasSymbol }: ts.Type): boolean {
  if (aliasSymbol?.name.endsWith('Reply') !== true) return false;
  const files = aliasSymbol.declarations?.map((each) => each.getSourceFile().fileName) ?? [];
  return files.some((file) => /[\\/]generated[\\/][^\\/]+[\\/]operations\.ts$/.test(file));
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
