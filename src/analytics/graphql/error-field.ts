import { Kind, parse, visit, type ASTNode, type GraphQLError } from 'graphql';

/**
 * The path of the error in a request: `batch.timeseries[0].dateRange.endDate` for an argument or a variable,
 * `catalog.nothing` for a field, `operationName`, or `query` for the text as a whole.
 */
export function fieldOf(error: GraphQLError): string {
  const { message, nodes, source } = error;
  // graphql-js reports the position in a variable like this.
  const inVariable = /^Variable "\$(\w+)" got invalid value .* at "([\w.[\]]+)";/s.exec(message);
  if (inVariable?.[2] !== undefined) return inVariable[2];
  const variable = /^Variable "\$(\w+)"/.exec(message);
  if (variable?.[1] !== undefined) return variable[1];
  if (/\b(?:operation named|what operation to execute)\b/.test(message)) return 'operationName';
  const [node] = nodes ?? [];
  const text = source?.body;
  if (node?.loc === undefined || text === undefined) return 'query';
  return wayTo(node, text) ?? 'query';
}

/** The names of the arguments and input fields around a node; outside arguments, those of the fields. */
function wayTo(target: ASTNode, text: string): string | null {
  let found: string | null = null;
  visit(parse(text), {
    enter(node, _key, parent, _path, ancestors) {
      if (node.kind !== target.kind || node.loc?.start !== target.loc?.start) return;
      const above = parent === undefined ? [] : [...ancestors, parent]; // graphql-js omits the parent
      found = written([...above.flatMap((each) => (isNode(each) ? [each] : [])), node]);
    },
  });
  return found;
}

function written(nodes: readonly ASTNode[]): string | null {
  const argument = nodes.findIndex(({ kind }) => kind === Kind.ARGUMENT);
  const relevant = argument === -1 ? nodes.filter(({ kind }) => kind === Kind.FIELD) : nodes.slice(argument);
  let way = '';
  relevant.forEach((node, index) => {
    const isNamed = node.kind === Kind.ARGUMENT || node.kind === Kind.FIELD || node.kind === Kind.OBJECT_FIELD;
    if (isNamed) way += `${way === '' ? '' : '.'}${node.name.value}`;
    const next = relevant[index + 1];
    if (node.kind === Kind.LIST && next !== undefined)
      way += `[${node.values.findIndex((each) => isSame(each, next))}]`;
  });
  return way === '' ? null : way;
}

function isSame(one: ASTNode, other: ASTNode): boolean {
  return one.loc?.start === other.loc?.start;
}

function isNode(value: ASTNode | readonly ASTNode[]): value is ASTNode {
  return !Array.isArray(value);
}
