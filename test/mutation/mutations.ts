import ts from 'typescript';

/** One small change of a source file that its tests should notice. */
export interface Mutation {
  /** Where the changed text begins, as an offset into the source. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** Line of the change; the first is 1. */
  readonly line: number;
}

const otherOperator: Readonly<Partial<Record<ts.SyntaxKind, string>>> = {
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [ts.SyntaxKind.LessThanToken]: '<=',
  [ts.SyntaxKind.LessThanEqualsToken]: '<',
  [ts.SyntaxKind.GreaterThanToken]: '>=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '>',
  [ts.SyntaxKind.AmpersandAmpersandToken]: '||',
  [ts.SyntaxKind.BarBarToken]: '&&',
  [ts.SyntaxKind.PlusToken]: '-',
  [ts.SyntaxKind.MinusToken]: '+',
};

/**
 * Lists the mutations of a TypeScript source, in the order of the text: another operator, a condition that always holds
 * or never does, a call without its effect, a boolean turned round.
 */
export function mutationsOf(source: string): Mutation[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true);
  const found: Mutation[] = [];
  const replace = (node: ts.Node, replacement: string): void => {
    const start = node.getStart(file);
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ start, end: node.getEnd(), replacement, line });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const operator = otherOperator[node.operatorToken.kind];
      if (operator !== undefined && !joinsText(node)) replace(node.operatorToken, operator);
    } else if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      const condition = ts.isIfStatement(node) ? node.expression : node.condition;
      replace(condition, 'true');
      replace(condition, 'false');
    } else if (ts.isExpressionStatement(node) && isCall(node.expression)) {
      replace(node, ';');
    } else if (node.kind === ts.SyntaxKind.TrueKeyword) {
      replace(node, 'false');
    } else if (node.kind === ts.SyntaxKind.FalseKeyword) {
      replace(node, 'true');
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found.sort((a, b) => a.start - b.start);
}

/** The source with one mutation made. */
export function mutate(source: string, { start, end, replacement }: Mutation): string {
  return source.slice(0, start) + replacement + source.slice(end);
}

/** A text minus something is not a number: every test would notice, and nothing would be learnt. */
function joinsText({ left, right }: ts.BinaryExpression): boolean {
  return [left, right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side));
}

function isCall(expression: ts.Expression): boolean {
  return ts.isCallExpression(ts.isAwaitExpression(expression) ? expression.expression : expression);
}
