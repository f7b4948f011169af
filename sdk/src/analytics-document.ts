/**
 * The text of a query, and what it takes and gives. Those of the persisted queries come with the SDK; for queries of
 * your own, `analyticsDocument` makes one, and the documents that graphql-codegen makes with `documentMode: string` do too.
 */
export interface AnalyticsDocument<Result, Variables> {
  /** The text. */
  toString(): string;
  /** Never there at run time: it carries the types. */
  readonly __apiType?: (variables: Variables) => Result;
}

/** A query that the server knows by an id. */
export interface PersistedDocument<Result, Variables> {
  readonly id: string;
  readonly text: string;
  /** Never there at run time: it carries the types. */
  readonly __apiType?: (variables: Variables) => Result;
}

/**
 * Gives a query of your own its types.
 *
 * @param text one operation that takes a variable `orgId`
 */
export function analyticsDocument<Result, Variables extends OrganizationVariables>(
  text: string,
): AnalyticsDocument<Result, Variables> {
  return { toString: () => text };
}

/** Every query is about one organization. */
export interface OrganizationVariables {
  readonly orgId: string;
}
