/**
 * The text of a query with the types of its variables and its result. The SDK contains those of the persisted queries.
 * Create others with `analyticsDocument`, or with graphql-codegen and `documentMode: string`.
 */
export interface AnalyticsDocument<Result, Variables> {
  /** The text. */
  toString(): string;
  /** Never present at run time: it carries the types. */
  readonly __apiType?: (variables: Variables) => Result;
}

/** A query that the server knows by its id. */
export interface PersistedDocument<Result, Variables> {
  readonly id: string;
  readonly text: string;
  /** Never present at run time: it carries the types. */
  readonly __apiType?: (variables: Variables) => Result;
}

/**
 * Adds types to your query.
 *
 * @param text one operation with a variable `orgId`
 */
export function analyticsDocument<Result, Variables extends OrganizationVariables>(
  text: string,
): AnalyticsDocument<Result, Variables> {
  return { toString: () => text };
}

/** Every query needs an organization. */
export interface OrganizationVariables {
  readonly orgId: string;
}
