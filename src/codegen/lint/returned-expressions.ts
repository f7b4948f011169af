/**
 * The expressions that can be the value of another one.
 *
 * The type of a condition, or of a function with several `return`, is a union without members that another member
 * includes, so `{ id }` hides `{ id, secret }`. The types of the single expressions still have every property.
 */
import ts from 'typescript';

/** The expressions that a function returns: none without a body, or if its type parameters leave their types open. */
export function returnedBy(
  checker: ts.TypeChecker,
  declaration: ts.Node | undefined,
  seen: ReadonlySet<ts.Node> = new Set(),
): readonly ts.Expression[] {
  if (declaration === undefined || !ts.isFunctionLike(declaration) || seen.has(declaration)) return [];
  if (declaration.typeParameters !== undefined || !('body' in declaration)) return [];
  const { body } = declaration;
  if (body === undefined) return [];
  const within = new Set([...seen, declaration]);
  if (!ts.isBlock(body)) return sourcesOf(checker, body, within);
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isReturnStatement(node) && node.expression !== undefined)
      found.push(...sourcesOf(checker, node.expression, within));
    if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit);
  };
  ts.forEachChild(body, visit);
  return found;
}

/**
 * The expressions that `expression` can take its value from: both sides of a condition, what a called function without
 * a written type returns, and the value of a constant.
 */
export function sourcesOf(
  checker: ts.TypeChecker,
  expression: ts.Expression,
  seen: ReadonlySet<ts.Node> = new Set(),
): readonly ts.Expression[] {
  const of = (each: ts.Expression): readonly ts.Expression[] => sourcesOf(checker, each, seen);
  if (ts.isParenthesizedExpression(expression) || ts.isAwaitExpression(expression)) return of(expression.expression);
  if (ts.isAsExpression(expression) || ts.isSatisfiesExpression(expression)) return of(expression.expression);
  if (ts.isConditionalExpression(expression)) return [...of(expression.whenTrue), ...of(expression.whenFalse)];
  if (ts.isBinaryExpression(expression)) {
    const { left, right, operatorToken } = expression;
    if ([ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken].includes(operatorToken.kind))
      return [...of(left), ...of(right)];
    return operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken ? of(right) : [expression];
  }
  if (ts.isCallExpression(expression)) {
    const declaration = checker.getResolvedSignature(expression)?.declaration;
    const returned = declaration?.type === undefined ? returnedBy(checker, declaration, seen) : [];
    return returned.length === 0 ? [expression] : returned;
  }
  const constant = ts.isIdentifier(expression) ? constantValue(checker, expression) : undefined;
  return constant === undefined || seen.has(constant)
    ? [expression]
    : sourcesOf(checker, constant, new Set([...seen, constant]));
}

/** The value of a constant without a written type; undefined where a condition has narrowed its type. */
function constantValue(checker: ts.TypeChecker, name: ts.Identifier): ts.Expression | undefined {
  const symbol = checker.getSymbolAtLocation(name);
  const declaration = symbol?.valueDeclaration;
  if (symbol === undefined || declaration === undefined || !ts.isVariableDeclaration(declaration)) return undefined;
  const isConstant = (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) !== 0;
  if (!isConstant || declaration.type !== undefined || !ts.isIdentifier(declaration.name)) return undefined;
  return checker.getTypeAtLocation(name) === checker.getTypeOfSymbol(symbol) ? declaration.initializer : undefined;
}
