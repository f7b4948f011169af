/** The variables of a query of the command line. */
import {
  buildSchema,
  getNullableType,
  isEnumType,
  isInputType,
  isScalarType,
  Kind,
  parse,
  specifiedScalarTypes,
  typeFromAST,
  GraphQLID,
  GraphQLString,
  type GraphQLInputType,
} from 'graphql';
import { schemaText } from '../../generated/graphql/schema.js';
import { dayNumber, dayText } from '../analytics/planner/buckets.js';
import { UsageError } from './usage-error.js';

export type Variables = Readonly<Record<string, unknown>>;

/** The variables that a query declares, with their types; undefined: a type that the schema does not have. */
export type DeclaredTypes = ReadonlyMap<string, GraphQLInputType | undefined>;

/** The number of work units on the largest page. */
export const LARGEST_PAGE = 1000;

/**
 * Parses the values, `name=value` each, by the types that the query declares: texts, dates and enums unchanged, all
 * other types as JSON.
 *
 * @throws UsageError for an undeclared variable, or a value that is not JSON
 */
export function queryVariables(types: DeclaredTypes, given: readonly string[]): Variables {
  const variables: Record<string, unknown> = {};
  for (const each of given) {
    const at = each.indexOf('=');
    const [name, value] = [each.slice(0, at), each.slice(at + 1)];
    if (at < 1 || !types.has(name))
      throw new UsageError(
        `--var ${JSON.stringify(each)}: the query has ${[...types.keys()].map((key) => `$${key}`).join(', ')}`,
      );
    variables[name] = valueOf(name, value, types.get(name));
  }
  return variables;
}

/** Adds the last days, and as many days before, where the query declares them and they are missing. */
export function withLastDays(types: DeclaredTypes, variables: Variables, days: number, today: string): Variables {
  const before = (ago: number): string => dayText(dayNumber(today) - ago);
  return {
    ...(types.has('dateRange') && { dateRange: { startDate: before(days - 1), endDate: today } }),
    ...(types.has('previous') && { previous: { startDate: before(2 * days - 1), endDate: before(days) } }),
    ...variables,
  };
}

/** Adds the size of the largest page, if the query declares $first: each page costs a count of all units. */
export function withLargestPages(types: DeclaredTypes, variables: Variables): Variables {
  return types.has('first') ? { first: LARGEST_PAGE, ...variables } : variables;
}

/** The variables that a query declares, with their types. @throws UsageError for a query that does not parse */
export function declaredTypes(text: string): DeclaredTypes {
  const schema = buildSchema(schemaText);
  try {
    return new Map(
      parse(text).definitions.flatMap((definition) =>
        definition.kind === Kind.OPERATION_DEFINITION
          ? (definition.variableDefinitions ?? []).map(({ variable, type }) => {
              const known = typeFromAST(schema, type);
              return [variable.name.value, isInputType(known) ? known : undefined] as const;
            })
          : [],
      ),
    );
  } catch (error) {
    throw new UsageError(`the query cannot be parsed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function valueOf(name: string, value: string, type: GraphQLInputType | undefined): unknown {
  if (type === undefined || isText(getNullableType(type))) return value;
  try {
    const read: unknown = JSON.parse(value);
    return read;
  } catch {
    throw new UsageError(`--var ${name} must be JSON`);
  }
}

/** Texts, enums, and custom scalars of the schema, such as dates. */
function isText(type: GraphQLInputType): boolean {
  if (type === GraphQLString || type === GraphQLID || isEnumType(type)) return true;
  return isScalarType(type) && !specifiedScalarTypes.some(({ name }) => name === type.name);
}
