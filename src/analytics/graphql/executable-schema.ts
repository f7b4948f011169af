import {
  buildASTSchema,
  GraphQLError,
  isObjectType,
  isScalarType,
  Kind,
  parse,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  type ValueNode,
} from 'graphql';
import { schemaText } from '../../../generated/graphql/schema.js';
import { FIRST_DAY, LAST_DAY } from '../store/rows.js';
import { isCalendarDate } from './calendar.js';
import type { GraphqlContext } from './context.js';
import { resolvers } from './resolvers.js';

/** Creates the served schema from its text and the resolvers. */
export function createExecutableSchema(): GraphQLSchema {
  const schema = buildASTSchema(parse(schemaText));
  const date = schema.getType('Date');
  if (!isScalarType(date)) throw new Error('The schema has no scalar Date');
  date.parseValue = (value) => calendarDate(value);
  date.parseLiteral = (node) => calendarDate(node.kind === Kind.STRING ? node.value : null, node);
  date.serialize = (value) => calendarDate(value);
  for (const [typeName, fields] of Object.entries(resolvers)) {
    const type = schema.getType(typeName);
    if (!isObjectType(type)) throw new Error(`The schema has no type ${typeName}`);
    // The generated `Resolvers` types each resolver by its field; here they are all treated alike.
    for (const [name, resolve] of Object.entries(
      fields as Record<string, GraphQLFieldResolver<unknown, GraphqlContext>>,
    )) {
      const field = type.getFields()[name];
      if (field === undefined) throw new Error(`The schema has no field ${typeName}.${name}`);
      field.resolve = resolve;
    }
  }
  return schema;
}

function calendarDate(value: unknown, node: ValueNode | null = null): string {
  if (typeof value === 'string' && isCalendarDate(value)) return value;
  const text = `A Date is a calendar day from ${FIRST_DAY} to ${LAST_DAY} in the format YYYY-MM-DD.`;
  throw new GraphQLError(text, { nodes: node });
}
