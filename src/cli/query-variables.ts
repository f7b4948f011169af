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
import { UsageError } from './usage-error.js';

export type Variables = Readonly<Record<string, unknown>>;

interface GivenVariables {
  /** `name=value` each. */
  readonly given: readonly string[];
  readonly days: number;
  readonly today: Date;
}

/**
 * Parses the values by the types that the query declares: texts, dates and enums unchanged, all other types as JSON.
 * @throws UsageError for an undeclared variable, a value that is not JSON, or a query that does not parse
 */
export function queryVariables(text: string, { given, days, today }: GivenVariables): Variables {
  const types = declaredTypes(text);
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
  const dayText = (ago: number): string => new Date(today.getTime() - ago * 86_400_000).toISOString().slice(0, 10);
  if (types.has('dateRange')) variables['dateRange'] ??= { startDate: dayText(days - 1), endDate: dayText(0) };
  if (types.has('previous')) variables['previous'] ??= { startDate: dayText(2 * days - 1), endDate: dayText(days) };
  return variables;
}

/** The variables that a query declares, with their types. @throws UsageError for a query that does not parse */
export function declaredTypes(text: string): ReadonlyMap<string, GraphQLInputType | undefined> {
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
