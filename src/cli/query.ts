/** `plumbline query`: runs a persisted query, or one of a file, on the stored work units of an organization. */
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { persistedQueries } from '../../generated/graphql/schema.js';
import { calendarBy, calendarCells, calendarLine } from './query-calendar.js';
import { columnsOf, csvLine, FORMATS, sparklines, tableText, type Format } from './query-formats.js';
import { isObject, seriesOf, tablesOf, type JsonObject, type ResultTable } from './query-rows.js';
import {
  declaredTypes,
  LARGEST_PAGE,
  queryVariables,
  withLargestPages,
  withLastDays,
  type Variables,
} from './query-variables.js';
import type { OrganizationCalendar } from '../analytics/organization-calendar.js';
import { timeZoneOf } from '../analytics/time-zone.js';
import { settingsEnvironment } from '../platform/server/settings/settings-environment.js';
import { currentServer, loginFolder } from './login/login-files.js';
import type { Ask } from './query-session.js';
import { UsageError } from './usage-error.js';
import { reportingUsage, type WorkUnitOptions } from './work-units.js';
import { errorCode } from '@plumbline/contract/system/error-code';

interface QueryOptions extends WorkUnitOptions {
  readonly format: string;
  readonly var?: readonly string[];
  readonly days: string;
  readonly table?: string;
  readonly all?: boolean;
  readonly server?: string;
}

/** More days than a query may ask for, and few enough to be a valid date. */
const MOST_DAYS = 20_000;

const ALL_NEEDS_CURSORS = '--all needs a query that asks for nextCursor, and has a variable $after';

const HELP = `
A query gets the organization as $orgId. If it declares $dateRange, that is the last --days days up to today in the
time zone of the organization, and $previous as many days before. Without a query, the persisted ones are listed with their variables.

Examples:
  plumbline query distributions --db sqlite:records.db --format sparkline
  plumbline query request-phases --var dimension=REPO
  plumbline query comparison --var compareWith=ORGANIZATION --var 'filters={"teams":["payments"]}'
  plumbline query overview --var 'filters={"bots":"EXCLUDE"}'
  plumbline query work-units --all --format ndjson > units.ndjson
  plumbline query work-units --all --format parquet > units.parquet
  PLUMBLINE_TOKEN=plbst_... plumbline query overview --server https://plumbline.example.com
  plumbline query ./own.graphql --format csv --table analytics.breakdowns`;

export function registerQueryCommand(program: Command): void {
  program
    .command('query')
    .description('run a query of the Analytics API on a database, or on a server')
    .argument('[query]', 'id of a persisted query, or a file with a query')
    .option('--format <format>', FORMATS.join(', '), 'table')
    .option('--var <name=value...>', 'variables; lists, numbers and objects as JSON')
    .option('--days <number>', 'days of $dateRange, up to today', '90')
    .option('--table <name>', 'for csv, ndjson and parquet: which list of the result')
    .option(
      '--all',
      `follow nextCursor to the last page, by ${LARGEST_PAGE} unless $first is set; with csv, ndjson or parquet`,
    )
    .option('--db <uri>', 'database of the work units (default: DATABASE_URI, else the server of plumbline login)')
    .option('--db-type <kind>', 'postgres, sqlite or clickhouse, if the scheme of --db is ambiguous')
    .option('--org <id>', 'organization (default: ORG_ID, else "default"); with --server, that of the token')
    .option('--server <url>', 'ask this server, with PLUMBLINE_TOKEN or the login that plumbline login has stored')
    .option('--config <file>', 'settings file (default: PLUMBLINE_CONFIG)')
    .addHelpText('after', HELP)
    .action((name: string | undefined, options: QueryOptions) =>
      reportingUsage('query', async () => {
        if (name === undefined) listQueries();
        else await query(name, options);
      }),
    );
}

function listQueries(): void {
  const width = Math.max(...Object.keys(persistedQueries).map((id) => id.length));
  for (const [id, { text }] of Object.entries(persistedQueries)) {
    const variables = [...declaredTypes(text).keys()].filter((each) => each !== 'orgId');
    console.log(`${id.padEnd(width)}  ${variables.join(', ')}`.trimEnd());
  }
}

async function query(name: string, options: QueryOptions): Promise<void> {
  const format = FORMATS.find((each) => each === options.format);
  if (format === undefined) throw new UsageError(`--format must be one of ${FORMATS.join(', ')}`);
  if (options.all === true && format !== 'csv' && format !== 'ndjson' && format !== 'parquet')
    throw new UsageError('--all needs --format csv, ndjson or parquet');
  if (format === 'parquet' && process.stdout.isTTY)
    throw new UsageError('--format parquet writes bytes: send the output to a file');
  const days = Number(options.days);
  if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS)
    throw new UsageError(`--days must be a whole number from 1 to ${MOST_DAYS}`);
  const text = await textOf(name);
  const all = options.all === true;
  const types = declaredTypes(text);
  if (all && !types.has('after')) throw new UsageError(ALL_NEEDS_CURSORS);
  const given = queryVariables(types, options.var ?? []);
  const variables = all ? withLargestPages(types, given) : given;
  const withAnalytics = await openerOf(options);
  // `print` handles the error of a write; without a listener it would also end the process.
  process.stdout.on('error', () => undefined);
  await withAnalytics(options, async (ask) => {
    const calendar = await calendarBy(ask);
    const today = timeZoneOf(calendar.timeZone).dayOf(Date.now());
    const asked = withLastDays(types, variables, days, today);
    const { print, end } = await printer(format, text, options.table, calendar);
    for await (const data of pages(ask, text, asked, all)) if (!(await print(data))) return;
    await end();
  });
}

type WithAnalytics = (options: QueryOptions, work: (ask: Ask) => Promise<void>) => Promise<void>;

/** Where the query runs: on the server, or in this process on a database. */
async function openerOf(options: QueryOptions): Promise<WithAnalytics> {
  const { server, db, org } = options;
  const asksServer = server !== undefined || (await hasOnlyLogin(options));
  if (!asksServer) return (await import('./query-session.js')).withAnalytics;
  if (db !== undefined || org !== undefined) throw new UsageError('--server excludes --db and --org');
  const { withServer } = await import('./query-server.js');
  return (_options, work) => withServer(server, work);
}

/** Whether there is a login, and no database. */
async function hasOnlyLogin({ db, org, config }: QueryOptions): Promise<boolean> {
  if (db !== undefined || org !== undefined) return false;
  if ((await settingsEnvironment(process.env, config))['DATABASE_URI']) return false;
  return (await currentServer(loginFolder(process.env))) !== null;
}

async function textOf(name: string): Promise<string> {
  const persisted = Object.entries(persistedQueries).find(([id]) => id === name);
  if (persisted !== undefined) return persisted[1].text;
  try {
    return await readFile(name, 'utf8');
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new UsageError(
      `${JSON.stringify(name)} is not a persisted query, and cannot be read as a file (${error.message}); plumbline query lists the persisted queries`,
    );
  }
}

async function* pages(ask: Ask, text: string, variables: Variables, all: boolean): AsyncGenerator<JsonObject> {
  let after: string | null = null;
  do {
    const data = await ask(text, after === null ? variables : { ...variables, after });
    yield data;
    after = all ? nextCursor(data) : null;
  } while (after !== null);
}

function nextCursor(data: JsonObject): string | null {
  for (const value of Object.values(data)) {
    if (!isObject(value) || !Object.hasOwn(value, 'nextCursor')) continue;
    const cursor = value['nextCursor'];
    return typeof cursor === 'string' ? cursor : null;
  }
  throw new UsageError(ALL_NEEDS_CURSORS);
}

interface Printer {
  /** Prints one page after another, until it returns false. */
  print(data: JsonObject): Promise<boolean>;
  /** Ends the output after the last page. */
  end(): Promise<void>;
}

async function printer(
  format: Format,
  query: string,
  table: string | undefined,
  calendar: OrganizationCalendar,
): Promise<Printer> {
  const rowsOf = (data: JsonObject): readonly JsonObject[] =>
    oneTable(data, table).rows.map((row) => ({ ...row, ...calendarCells(calendar) }));
  if (format === 'parquet') {
    const { openParquet } = await import('./query-parquet.js');
    const file = openParquet(query, print);
    return { print: (data) => file.add(rowsOf(data)), end: () => file.end() };
  }
  return { print: textPrinter(format, rowsOf, calendar), end: () => Promise.resolve() };
}

/** The first page determines the columns of CSV. */
function textPrinter(
  format: Exclude<Format, 'parquet'>,
  rowsOf: (data: JsonObject) => readonly JsonObject[],
  calendar: OrganizationCalendar,
): (data: JsonObject) => Promise<boolean> {
  let columns: readonly string[] | undefined;
  return async (data) => {
    switch (format) {
      case 'json':
        return print(`${JSON.stringify(data, null, 2)}\n`);
      case 'table':
        return print(
          [...tablesOf(data).map(tableText), calendarLine(calendar)].filter((part) => part !== '').join('\n'),
        );
      case 'sparkline': {
        const series = seriesOf(data);
        if (series.length === 0) {
          throw new UsageError(
            'nothing to draw: the result has no buckets with a value, a count or statistics; use another --format',
          );
        }
        return print(sparklines(series) + calendarLine(calendar));
      }
      case 'ndjson':
        return print(
          rowsOf(data)
            .map((row) => `${JSON.stringify(row)}\n`)
            .join(''),
        );
      case 'csv': {
        const rows = rowsOf(data);
        const isFirst = columns === undefined;
        const names = (columns ??= columnsOf(rows));
        const head = isFirst && names.length > 0 ? csvLine(names) : '';
        return print(head + rows.map((row) => csvLine(names.map((name) => row[name] ?? null))).join(''));
      }
    }
  };
}

function oneTable(data: JsonObject, name: string | undefined): ResultTable {
  const tables = tablesOf(data);
  const [first, ...others] = name === undefined ? tables : tables.filter((each) => each.name === name);
  if (first !== undefined && others.length === 0) return first;
  const names = tables.map((each) => each.name).join(', ');
  throw new UsageError(`name one list of the result with --table: ${names === '' ? 'it has none' : names}`);
}

/**
 * Waits for a slow reader, so that long exports need little memory.
 *
 * @returns false when the reader has closed the pipe, as `head` does
 */
function print(text: string | Uint8Array): Promise<boolean> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error == null) resolve(true);
      else if (errorCode(error) === 'EPIPE') resolve(false);
      else reject(error);
    });
  });
}
