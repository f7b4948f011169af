/**
 * Where the value of an expression comes from.
 *
 * The type of a condition, or of a function with several `return`, is a union without members that another member
 * includes, so `{ id }` hides `{ id, secret }`. A written type hides what its value has more. The types of the
 * expressions that a value comes from still have every property.
 */
import ts from 'typescript';
import {
  eitherSide,
  expressionsOf,
  findAssignments,
  hasBody,
  indexIn,
  isConstant,
  isPlainName,
  isTransparent,
  isVariable,
  itemsAt,
  keepingItems,
  keepsItsValue,
  rightSide,
  type Variable,
  type FunctionWithBody,
} from './source-syntax.js';

/** One value that an expression can have. */
export interface Source {
  readonly type: ts.Type;
  /** undefined: only the type of the value is known. */
  readonly expression: ts.Expression | undefined;
  readonly scope: Scope;
}

/** The calls and declarations that have led to an expression. */
export interface Scope {
  readonly arguments: ReadonlyMap<ts.Node, Argument>;
  /** What is being read, so that nothing is read within itself. */
  readonly within: ReadonlySet<ts.Node>;
  /** How many calls have been followed. */
  readonly calls: number;
}

interface Argument {
  readonly expression: ts.Expression;
  readonly scope: Scope;
}

/** The scope of an expression that no call has led to. */
export const outermost: Scope = { arguments: new Map(), within: new Set(), calls: 0 };

/** More calls are not followed: what they return is known by its type alone. */
const maxCalls = 8;

/** Finds the sources of values. */
export interface Sources {
  /** What each `return` of a function can return; nothing without a body, and for generators. */
  returnedBy(declaration: ts.Node | undefined): readonly (readonly Source[])[];
  /** Both sides of a condition, what a called function returns, and what a variable has been given. */
  of(expression: ts.Expression, scope: Scope): readonly Source[];
  ofProperty(property: ts.Symbol, scope: Scope): readonly Source[];
  /** The items of a list or of a stream, where they can be found. */
  ofItems(source: Source): readonly Source[];
}

/** Creates the functions that find sources. They keep what they have found out about variables. */
export function createSources(checker: ts.TypeChecker): Sources {
  const assigned = new Map<ts.Symbol, readonly ts.Expression[]>();

  const itself = (expression: ts.Expression, scope: Scope): Source => {
    const type = checker.getTypeAtLocation(expression);
    return { type: checker.getAwaitedType(type) ?? type, expression, scope };
  };

  const returnsOf = (declaration: ts.Node | undefined, scope: Scope): readonly (readonly Source[])[] => {
    if (!hasBody(declaration) || scope.within.has(declaration) || scope.calls > maxCalls) return [];
    if (declaration.asteriskToken !== undefined) return [];
    const inner = { ...within(scope, declaration), calls: scope.calls + 1 };
    if (!ts.isBlock(declaration.body)) return [sourcesOf(declaration.body, inner)];
    return expressionsOf(declaration.body, ts.isReturnStatement).map((each) => sourcesOf(each, inner));
  };

  const returnedBy = (declaration: ts.Node, scope: Scope): readonly Source[] => returnsOf(declaration, scope).flat();

  const sourcesOf = (expression: ts.Expression, scope: Scope): readonly Source[] => {
    const of = (each: ts.Expression): readonly Source[] => sourcesOf(each, scope);
    if (isTransparent(expression)) return of(expression.expression);
    if (ts.isConditionalExpression(expression)) return [...of(expression.whenTrue), ...of(expression.whenFalse)];
    if (ts.isBinaryExpression(expression)) {
      const { left, right, operatorToken } = expression;
      if (eitherSide.has(operatorToken.kind)) return [...of(left), ...of(right)];
      return rightSide.has(operatorToken.kind) ? of(right) : [itself(expression, scope)];
    }
    if (ts.isCallExpression(expression)) return [...sourcesOfCall(expression, scope), itself(expression, scope)];
    if (ts.isIdentifier(expression)) {
      const symbol = aliased(checker, checker.getSymbolAtLocation(expression));
      const values = symbol === undefined ? [] : sourcesOfVariable(symbol, scope);
      const isNarrowed =
        symbol !== undefined && checker.getTypeAtLocation(expression) !== checker.getTypeOfSymbol(symbol);
      return isNarrowed ? narrowed(values, itself(expression, scope)) : orElse(values, itself(expression, scope));
    }
    if (ts.isPropertyAccessExpression(expression)) {
      const values = of(expression.expression).flatMap((owner) => sourcesOfMember(owner, expression.name.text));
      return narrowed(values, itself(expression, scope));
    }
    if (ts.isElementAccessExpression(expression)) {
      const { expression: owners, argumentExpression: key } = expression;
      const values = of(owners).flatMap((owner) =>
        ts.isStringLiteral(key) ? sourcesOfMember(owner, key.text) : sourcesOfItems(owner, indexIn(key)),
      );
      return [...values, itself(expression, scope)];
    }
    return [itself(expression, scope)];
  };

  /** Leaves out the values that a condition has excluded: `if ('problem' in found) return …`. */
  const narrowed = (values: readonly Source[], own: Source): readonly Source[] => {
    const kept = values.filter(({ type }) => isOpen(own.type) || canBe(checker, type, own.type));
    return kept.length === values.length ? orElse(kept, own) : [...kept, own];
  };

  const sourcesOfCall = (call: ts.CallExpression, scope: Scope): readonly Source[] => {
    const declaration = checker.getResolvedSignature(call)?.declaration;
    const functions = hasBody(declaration) ? [declaration] : functionsOf(call.expression, scope);
    return functions.length === 0
      ? forwardedBy(call, declaration, scope)
      : functions.flatMap((each) => returnedBy(each, passing(call.arguments, each, scope)));
  };

  const functionsOf = (expression: ts.Expression, scope: Scope): readonly FunctionWithBody[] =>
    sourcesOf(expression, scope)
      .flatMap(({ type }) => type.getCallSignatures())
      .map(({ declaration }) => declaration)
      .filter(hasBody);

  const returnedByArgument = (argument: ts.Expression, scope: Scope): readonly Source[] =>
    functionsOf(argument, scope).flatMap((each) => returnedBy(each, scope));

  /**
   * The arguments that a function without a body gives back, by its type: `<T>(value: T) => T`,
   * `<T>(work: () => Promise<T>) => Promise<T>`.
   */
  const forwardedBy = (call: ts.CallExpression, declaration: ts.Node | undefined, scope: Scope): readonly Source[] => {
    if (declaration === undefined || !ts.isFunctionLike(declaration)) return [];
    const signature = checker.getSignatureFromDeclaration(declaration);
    if (signature === undefined) return [];
    const given = typeParametersIn(signature.getReturnType());
    const isGiven = (type: ts.Type): boolean => [...typeParametersIn(type)].some((each) => given.has(each));
    const found = call.arguments.flatMap((argument, index) => {
      const parameter = declaration.parameters[index];
      if (parameter === undefined) return [];
      const type = checker.getTypeAtLocation(parameter);
      if (isGiven(type)) return sourcesOf(argument, scope);
      const signatures = membersOf(type).flatMap((each) => each.getCallSignatures());
      return signatures.some((each) => isGiven(each.getReturnType())) ? returnedByArgument(argument, scope) : [];
    });
    return keepsItsValue(call.expression) ? [...sourcesOf(call.expression.expression, scope), ...found] : found;
  };

  const sourcesOfVariable = (symbol: ts.Symbol, scope: Scope): readonly Source[] => {
    const declaration = symbol.valueDeclaration;
    return declaration !== undefined && isVariable(declaration) ? valuesOf(declaration, symbol, scope) : [];
  };

  const valuesOf = (variable: Variable, symbol: ts.Symbol | undefined, outer: Scope): readonly Source[] => {
    if (outer.within.has(variable)) return [];
    const scope = within(outer, variable);
    const given = outer.arguments.get(variable);
    const values = given === undefined ? partsOf(variable, scope) : sourcesOf(given.expression, given.scope);
    const initial = variable.initializer === undefined || given !== undefined ? [] : [variable.initializer];
    const later = symbol === undefined || isConstant(variable) ? [] : assignmentsTo(symbol, variable);
    return [...values, ...[...initial, ...later].flatMap((each) => sourcesOf(each, scope))];
  };

  /** The values of a name in a pattern: `const { body } = …`, `const [row] = …`. */
  const partsOf = (variable: Variable, scope: Scope): readonly Source[] => {
    if (!ts.isBindingElement(variable) || variable.dotDotDotToken !== undefined) return [];
    const owners = valuesOf(variable.parent.parent, undefined, scope);
    if (ts.isArrayBindingPattern(variable.parent)) {
      const index = variable.parent.elements.indexOf(variable);
      return owners.flatMap((owner) => sourcesOfItems(owner, index));
    }
    const name = variable.propertyName ?? variable.name;
    return isPlainName(name) ? owners.flatMap((owner) => sourcesOfMember(owner, name.text)) : [];
  };

  const assignmentsTo = (symbol: ts.Symbol, variable: Variable): readonly ts.Expression[] => {
    const known = assigned.get(symbol) ?? findAssignments(checker, symbol, variable);
    assigned.set(symbol, known);
    return known;
  };

  const sourcesOfMember = ({ type, scope }: Source, name: string): readonly Source[] =>
    membersOf(type).flatMap((each) => {
      const property = each.getProperty(name);
      return property === undefined ? [] : sourcesOfProperty(property, scope);
    });

  const sourcesOfProperty = (property: ts.Symbol, scope: Scope): readonly Source[] => {
    const written = property.valueDeclaration;
    const own: Source = { type: checker.getTypeOfSymbol(property), expression: undefined, scope };
    if (written === undefined || scope.within.has(written)) return [own];
    if (ts.isGetAccessor(written)) return [...returnedBy(written, scope), own];
    const inner = within(scope, written);
    if (ts.isPropertyAssignment(written)) return [...sourcesOf(written.initializer, inner), own];
    const symbol = ts.isShorthandPropertyAssignment(written) && checker.getShorthandAssignmentValueSymbol(written);
    if (!symbol) return [own];
    return [...narrowed(sourcesOfVariable(symbol, inner), own), own];
  };

  /** @param index only of the item at this index, where a literal shows it: a tuple has items of different types */
  const sourcesOfItems = ({ expression, scope }: Source, index?: number): readonly Source[] => {
    if (expression === undefined) return [];
    const inList = (list: ts.Expression, at?: number): readonly Source[] =>
      sourcesOf(list, scope).flatMap((each) => sourcesOfItems(each, at));
    if (ts.isArrayLiteralExpression(expression))
      return itemsAt(expression, index).flatMap((each) =>
        ts.isSpreadElement(each) ? inList(each.expression) : sourcesOf(each, scope),
      );
    if (!ts.isCallExpression(expression)) return [];
    const { expression: callee, arguments: given } = expression;
    const [argument] = given;
    if (ts.isPropertyAccessExpression(callee)) {
      if (keepingItems.has(callee.name.text)) return inList(callee.expression);
      if (argument !== undefined && callee.name.text === 'map') return returnedByArgument(argument, scope);
      if (argument !== undefined && callee.getText() === 'Promise.all') return inList(argument, index);
    }
    const declaration = checker.getResolvedSignature(expression)?.declaration;
    if (!hasBody(declaration) || declaration.asteriskToken === undefined || scope.within.has(declaration)) return [];
    const inner = within(passing(expression.arguments, declaration, scope), declaration);
    return expressionsOf(declaration.body, ts.isYieldExpression).flatMap((each) => sourcesOf(each, inner));
  };

  return {
    returnedBy: (each) => returnsOf(each, outermost),
    of: sourcesOf,
    ofProperty: sourcesOfProperty,
    ofItems: (source) => sourcesOfItems(source),
  };
}

/** Whether a type parameter leaves the type open. */
function isOpen(type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.TypeParameter | ts.TypeFlags.Any)) !== 0;
}

/** Whether a value of a type remains possible where its variable has the type `own`. */
function canBe(checker: ts.TypeChecker, type: ts.Type, own: ts.Type): boolean {
  return membersOf(type).every((each) =>
    membersOf(own).some((member) => {
      // Assignability would refuse a literal that has more properties, which is what we are looking for.
      if (!isObject(each) || !isObject(member)) return checker.isTypeAssignableTo(each, member);
      const named = member.getProperties().filter(({ name }) => !name.startsWith('__@'));
      return named.every((property) => {
        const given = each.getProperty(property.name);
        if (given === undefined) return (property.flags & ts.SymbolFlags.Optional) !== 0;
        return !contradicts(checker, given, property);
      });
    }),
  );
}

/** Whether two properties are different constants: `status: 200` and `status: 404`. */
export function contradicts(checker: ts.TypeChecker, one: ts.Symbol, other: ts.Symbol): boolean {
  const [type, constant] = [one, other].map((each) => checker.getTypeOfSymbol(each));
  return type?.isLiteral() === true && constant?.isLiteral() === true && type.value !== constant.value;
}

export function isObject(type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
}

function membersOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}

function orElse(values: readonly Source[], own: Source): readonly Source[] {
  return values.length === 0 ? [own] : values;
}

function within(scope: Scope, node: ts.Node): Scope {
  return { ...scope, within: new Set([...scope.within, node]) };
}

function aliased(checker: ts.TypeChecker, symbol: ts.Symbol | undefined): ts.Symbol | undefined {
  const isAlias = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0;
  return isAlias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** The scope in which a function's body is read for one call of it. */
function passing(values: readonly ts.Expression[], { parameters }: FunctionWithBody, scope: Scope): Scope {
  const spread = values.findIndex((each) => ts.isSpreadElement(each));
  const known = spread === -1 ? values : values.slice(0, spread);
  const given = new Map(scope.arguments);
  for (const [index, parameter] of parameters.entries()) {
    const expression = known[index];
    if (expression === undefined || parameter.dotDotDotToken !== undefined) given.delete(parameter);
    else given.set(parameter, { expression, scope });
  }
  return { ...scope, arguments: given };
}

/** The type parameters whose values a value of this type has: of `T`, of a promise of it, and of a condition about it. */
function typeParametersIn(type: ts.Type): ReadonlySet<ts.Type> {
  if ((type.flags & ts.TypeFlags.TypeParameter) !== 0) return new Set([type]);
  if (type.isUnion()) return new Set(type.types.flatMap((each) => [...typeParametersIn(each)]));
  // The flag says that the type is conditional.
  if ((type.flags & ts.TypeFlags.Conditional) !== 0) return typeParametersIn((type as ts.ConditionalType).checkType);
  if (type.aliasSymbol?.name === 'Readonly')
    return new Set(type.aliasTypeArguments?.flatMap((each) => [...typeParametersIn(each)]));
  const isPromise = ['Promise', 'PromiseLike'].includes(type.getSymbol()?.name ?? '');
  const [value] = isPromise ? ((type as ts.TypeReference).typeArguments ?? []) : [];
  return value === undefined ? new Set() : typeParametersIn(value);
}
