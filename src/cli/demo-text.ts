/** The output of `plumbline demo`. */
import type { DemoServer } from './demo-server.js';
import { drawChart, type ChartRow, type ChartStyle } from './demo-chart.js';

export interface DemoFacts {
  readonly email: string;
  /** null: it was printed when the account was created. */
  readonly password: string | null;
  readonly orgId: string;
  readonly existed: boolean;
  readonly records: number;
  readonly range: { readonly startDate: string; readonly endDate: string };
  readonly server: DemoServer;
  /** Whether it serves the console. */
  readonly hasConsole: boolean;
}

/** The last `days` calendar days up to `now`, in UTC. */
export function lastDays(now: Date, days: number): DemoFacts['range'] {
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  return { startDate: day(now.getTime() - (days - 1) * 86_400_000), endDate: day(now.getTime()) };
}

/** @param rows the result of the query, largest first */
export function describeDemo(facts: DemoFacts, rows: readonly ChartRow[], style: ChartStyle): string {
  const { email, password, orgId, existed, records, range, server } = facts;
  return [
    existed ? 'The demo already existed; its data is up to date again.' : 'The demo is ready.',
    '',
    `  account       ${email}`,
    `  password      ${password ?? 'printed when the account was created (--reset-password sets a new one)'}`,
    `  organization  ${orgId}`,
    `  data          ${records.toLocaleString('en-US')} synthetic records added, ${range.startDate} to ${range.endDate}`,
    '',
    'Work units by theme, split by their shares:',
    '',
    ...indented(drawChart(['theme', 'units'], rows, { ...style, width: style.width - 2 })),
    '',
    ...(server.command === null
      ? ['Run the query yourself:']
      : ['Start the server:', '', `  ${server.command}`, '', 'Then run the query yourself, in another terminal:']),
    '',
    ...indented(curlOf(facts)),
    '',
    'or with @plumbline/sdk:',
    '',
    ...indented(sdkOf(facts)),
    ...(facts.hasConsole
      ? ['', 'Open the console, and log in with the account above:', '', `  ${server.url}/console/overview`]
      : []),
  ].join('\n');
}

const document =
  'query Themes($org: String!, $days: DateRangeInput!) { analytics(orgId: $org, batch: { useInvestment: true, ' +
  'breakdowns: [{ dimension: THEME, measure: COUNT, dateRange: $days }] }) { breakdowns { items { key value } } } }';

function curlOf({ server: { url }, email, password, orgId, range }: DemoFacts): string[] {
  const login = JSON.stringify({ email, password: password ?? '...' });
  const query = JSON.stringify({ query: document, variables: { org: orgId, days: range } });
  return [
    `API=${url}; JSON='Content-Type: application/json'`,
    `ACCESS=$(curl -s $API/api/v1/auth/login -H "$JSON" -d '${login}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `curl -s "$API/graphql?org_id=${orgId}" -H "Authorization: Bearer $ACCESS" -H "$JSON" -d '${query}'`,
  ];
}

function sdkOf({ server: { url }, email, password, orgId }: DemoFacts): string[] {
  return [
    "import { createPlatformClient, listSyncConfigs, login } from '@plumbline/sdk/platform';",
    `const client = createPlatformClient({ baseUrl: '${url}' });`,
    `await login(client, { body: { email: '${email}', password: '${password ?? '...'}' } });`,
    `console.log(await listSyncConfigs(client)); // the data sources of ${orgId}`,
  ];
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
