/** The forms of TypeScript's syntax that a value can pass through. */
import ts from 'typescript';

/** What declares a name. */
export type Variable = ts.VariableDeclaration | ts.BindingElement | ts.ParameterDeclaration;
export type FunctionWithBody = ts.FunctionLikeDeclaration & { readonly body: ts.Block | ts.Expression };

/** The operators whose value is one of their operands. */
export const eitherSide: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.BarBarEqualsToken,
  ts.SyntaxKind.QuestionQuestionEqualsToken,
]);

/** The operators whose value, if it is an object, is their right operand. */
export const rightSide: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.EqualsToken,
  ts.SyntaxKind.CommaToken,
]);

const assignments: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsToken,
  ts.SyntaxKind.BarBarEqualsToken,
  ts.SyntaxKind.QuestionQuestionEqualsToken,
  ts.SyntaxKind.AmpersandAmpersandEqualsToken,
]);

/** The methods of a list whose result has the same items. */
export const keepingItems: ReadonlySet<string> = new Set([
  'filter',
  'slice',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'concat',
]);

/** Whether an expression has the value of the one that it encloses. */
export function isTransparent(
  node: ts.Expression,
): node is
  ts.ParenthesizedExpression | ts.AwaitExpression | ts.AsExpression | ts.SatisfiesExpression | ts.NonNullExpression {
  return (
    ts.isParenthesizedExpression(node) ||
    ts.isAwaitExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node)
  );
}

/** Whether a promise keeps its value: `work.catch(…)`, `work.finally(…)`. */
export function keepsItsValue(callee: ts.Expression): callee is ts.PropertyAccessExpression {
  return ts.isPropertyAccessExpression(callee) && ['catch', 'finally'].includes(callee.name.text);
}

export function hasBody(node: ts.Node | undefined): node is FunctionWithBody {
  return node !== undefined && ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
}

export function isVariable(node: ts.Node): node is Variable {
  return ts.isVariableDeclaration(node) || ts.isBindingElement(node) || ts.isParameter(node);
}

/** Whether it is given a value only once. */
export function isConstant(variable: Variable): boolean {
  return (ts.getCombinedNodeFlags(variable) & ts.NodeFlags.Const) !== 0;
}

export function isPlainName(name: ts.PropertyName | ts.BindingName): name is ts.Identifier | ts.StringLiteral {
  return ts.isIdentifier(name) || ts.isStringLiteral(name);
}

/** The expressions of a function's own `return` or `yield`, not of the functions within it. */
export function expressionsOf(
  body: ts.Node,
  is: (node: ts.Node) => node is ts.ReturnStatement | ts.YieldExpression,
): readonly ts.Expression[] {
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (is(node) && node.expression !== undefined) found.push(node.expression);
    if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit);
  };
  ts.forEachChild(body, visit);
  return found;
}

/** What a variable is given after its declaration. */
export function findAssignments(
  checker: ts.TypeChecker,
  symbol: ts.Symbol,
  variable: Variable,
): readonly ts.Expression[] {
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isBinaryExpression(node) && assignments.has(node.operatorToken.kind) && ts.isIdentifier(node.left)) {
      if (node.left.text === symbol.name && checker.getSymbolAtLocation(node.left) === symbol) found.push(node.right);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.findAncestor(variable.parent, ts.isFunctionLike) ?? variable.getSourceFile());
  return found;
}

/** The items that can be at an index of a literal: all of them where a spread moves them, or without an index. */
export function itemsAt({ elements }: ts.ArrayLiteralExpression, index: number | undefined): readonly ts.Expression[] {
  if (index === undefined || elements.some((each) => ts.isSpreadElement(each))) return elements;
  return elements.slice(index, index + 1);
}

/** The index in `rows[0]`; undefined for others. */
export function indexIn(key: ts.Expression): number | undefined {
  return ts.isNumericLiteral(key) ? Number(key.text) : undefined;
}
