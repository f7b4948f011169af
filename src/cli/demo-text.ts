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
  /** The days of the data. */
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
    'Work units of the last 90 days by theme, split by their shares:',
    '',
    ...indented(drawChart(['theme', 'units'], rows, { ...style, width: style.width - 2 })),
    '',
    ...(server.command === null
      ? ['Log in (it asks for the password), then query the same data:']
      : [
          'Start the server:',
          '',
          `  ${server.command}`,
          '',
          'Then, in another terminal, log in (it asks for the password) and query the same data:',
        ]),
    '',
    ...indented(commandsOf(facts)),
    '',
    'or with @plumbline/sdk:',
    '',
    ...indented(sdkOf(facts)),
    ...(facts.hasConsole
      ? ['', 'Open the console, and log in with the account above:', '', `  ${server.url}/console/overview`]
      : []),
  ].join('\n');
}

/** The login asks for the password; it is not an argument, because others can list the arguments of processes. */
function commandsOf({ server: { url }, email }: DemoFacts): string[] {
  return [`npx plumbline login --server ${url} --email ${email}`, `npx plumbline query overview --server ${url}`];
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
