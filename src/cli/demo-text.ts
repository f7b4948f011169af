/** What `plumbline demo` prints. */
import { drawChart, type ChartRow, type ChartStyle } from './demo-chart.js';

export interface DemoFacts {
  readonly email: string;
  /** null: it was told when the account was made. */
  readonly password: string | null;
  readonly orgId: string;
  readonly existed: boolean;
  readonly records: number;
  readonly range: { readonly startDate: string; readonly endDate: string };
  /** Where a server with these settings answers. */
  readonly url: string;
  /** Whether one does now. */
  readonly isServed: boolean;
  /** Whether it serves the console. */
  readonly hasConsole: boolean;
}

/** The calendar days up to and including the one of `now`, in UTC. */
export function lastDays(now: Date, days: number): DemoFacts['range'] {
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  return { startDate: day(now.getTime() - (days - 1) * 86_400_000), endDate: day(now.getTime()) };
}

/** @param rows what the query answers, the largest first */
export function describeDemo(facts: DemoFacts, rows: readonly ChartRow[], style: ChartStyle): string {
  const { email, password, orgId, existed, records, range } = facts;
  return [
    existed ? 'The demo was here already; its data go up to today again.' : 'The demo is ready.',
    '',
    `  account       ${email}`,
    `  password      ${password ?? 'as it was told then (--reset-password makes a new one)'}`,
    `  organization  ${orgId}`,
    `  data          ${records.toLocaleString('en-US')} records read now, made up, ${range.startDate} to ${range.endDate}`,
    '',
    'Where does the work go? Work units by theme, each split over what it served:',
    '',
    ...indented(drawChart(['theme', 'units'], rows, { ...style, width: style.width - 2 })),
    '',
    ...(facts.isServed ? [] : ['Start the server:', '', '  npx plumbline serve', '', 'and in another terminal:', '']),
    'Ask for it yourself:',
    '',
    ...indented(curlOf(facts)),
    '',
    'or with @plumbline/sdk:',
    '',
    ...indented(sdkOf(facts)),
    ...(facts.hasConsole
      ? ['', 'Open the console, and log in with the account above:', '', `  ${facts.url}/console/overview`]
      : []),
  ].join('\n');
}

const document =
  'query Themes($org: String!, $days: DateRangeInput!) { analytics(orgId: $org, batch: { useInvestment: true, ' +
  'breakdowns: [{ dimension: THEME, measure: COUNT, dateRange: $days }] }) { breakdowns { items { key value } } } }';

function curlOf({ url, email, password, orgId, range }: DemoFacts): string[] {
  const login = JSON.stringify({ email, password: password ?? '...' });
  const query = JSON.stringify({ query: document, variables: { org: orgId, days: range } });
  return [
    `API=${url}; JSON='Content-Type: application/json'`,
    `ACCESS=$(curl -s $API/api/v1/auth/login -H "$JSON" -d '${login}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `curl -s "$API/graphql?org_id=${orgId}" -H "Authorization: Bearer $ACCESS" -H "$JSON" -d '${query}'`,
  ];
}

function sdkOf({ url, email, password, orgId }: DemoFacts): string[] {
  return [
    "import { createPlatformClient, listSyncConfigs, login } from '@plumbline/sdk/platform';",
    `const client = createPlatformClient({ baseUrl: '${url}' });`,
    `await login(client, { body: { email: '${email}', password: '${password ?? '...'}' } });`,
    `console.log(await listSyncConfigs(client)); // what fills ${orgId}`,
  ];
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
