import * as analytics from '@plumbline/sdk/analytics';

/** A persisted query, as the SDK knows it. */
export interface PersistedQuery {
  readonly id: string;
  readonly text: string;
}

/** The persisted queries that the SDK was made with, by their ids. */
export const persistedQueries: readonly PersistedQuery[] = Object.values<unknown>(analytics)
  .filter(isPersistedQuery)
  .sort((a, b) => a.id.localeCompare(b.id));

function isPersistedQuery(value: unknown): value is PersistedQuery {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'id') === 'string' &&
    typeof Reflect.get(value, 'text') === 'string'
  );
}

export interface Sample {
  readonly orgId: string;
  /** The last day of ranges: YYYY-MM-DD. */
  readonly today: string;
}

/** A value for each variable that a query requires. */
function sampleVariables({ text }: PersistedQuery, { orgId, today }: Sample): Readonly<Record<string, unknown>> {
  const declarations = text.slice(0, text.indexOf('{')).matchAll(/\$(\w+):\s*(\w+)!(\s*=)?/g);
  const byType: Readonly<Record<string, unknown>> = {
    String: orgId,
    DateRangeInput: { startDate: daysBefore(today, 29), endDate: today },
    DimensionInput: 'TEAM',
    MeasureInput: 'THROUGHPUT',
    Int: 10,
  };
  return Object.fromEntries(
    [...declarations].flatMap(([, name, type, fallback]) =>
      name === undefined || type === undefined || fallback !== undefined ? [] : [[name, byType[type] ?? null] as const],
    ),
  );
}

function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10);
}

/** A command that asks a persisted query, with the access token in the variable ACCESS. */
export function curlOf(query: PersistedQuery, sample: Sample, origin: string): string {
  const body = JSON.stringify({ variables: sampleVariables(query, sample) });
  return [
    `curl '${origin}/graphql?org_id=${sample.orgId}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H "Authorization: Bearer $ACCESS" \\`,
    `  -H 'X-Persisted-Query-Id: ${query.id}' \\`,
    `  -d '${body}'`,
  ].join('\n');
}
