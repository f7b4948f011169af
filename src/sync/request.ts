/** Parses the command line's options and the environment to one checked request. Reports all problems together. */
import { parseConnection, type DatabaseAddress } from './sinks/connection-string.js';
import { DATABASE_KINDS, type DatabaseKind } from './sinks/sink.js';
import { TARGETS } from './targets.js';
import { NO_WINDOW, parseTimeWindow, withoutOld } from './time-window.js';
import { PROVIDER_NAMES, providerNamed } from './providers/registry.js';
import type { Report } from './providers/description.js';
import type { SyncOptions } from './options.js';
import type { BatchOptions, SyncRequest } from './sync-request.js';

export type ParsedRequest =
  { readonly ok: true; readonly request: SyncRequest } | { readonly ok: false; readonly problems: readonly string[] };

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the options of `plumbline sync`.
 *
 * @param options the texts from the command line
 * @param environment the variables: DATABASE_URI, SECONDARY_DATABASE_URI, DB_ECHO, BATCH_SIZE,
 *   MAX_WORKERS, RECORD_RETENTION_DAYS, ORG_ID and WORK_UNIT_RULES, and those of the providers
 * @param now the current time in epoch milliseconds, for a `--backfill` without `--date`
 * @returns the request, or every wrong or missing input (exit 2)
 */
export function parseSyncRequest(options: SyncOptions, environment: Environment, now = Date.now()): ParsedRequest {
  const problems: string[] = [];
  const report: Report = (problem) => {
    problems.push(problem);
    return undefined;
  };

  const target = oneOf('the target', options.target, TARGETS, report);
  const provider = providerNamed(options.provider);
  if (provider === undefined) oneOf('--provider', options.provider, PROVIDER_NAMES, report);
  else if (target !== undefined && !provider.targets.includes(target)) {
    report(`--provider ${provider.name} has no ${target}: it has ${provider.targets.join(', ')}`);
  }
  const whole = (name: string, text: string | undefined): number | undefined => wholeNumber(name, text, report);
  const prune = options.prune === true;
  if (prune && target !== undefined && target !== 'git') report(`--prune is for git, and not for ${target}`);
  if (prune && provider?.isGenerated === true)
    report(`--prune is not for ${provider.name}: its history is never rewritten`);
  const databases = parseDatabases(options, environment, report);
  const recordDays = whole(
    'RECORD_RETENTION_DAYS',
    nonEmpty(options.recordDays) ?? nonEmpty(environment['RECORD_RETENTION_DAYS']),
  );
  const parsedWindow = parseTimeWindow(options, now);
  if ('problems' in parsedWindow) problems.push(...parsedWindow.problems);
  const asked = 'window' in parsedWindow ? parsedWindow.window : NO_WINDOW;
  // Blame is about the files of today, and made-up data are as many as they are asked for.
  const isBounded = recordDays !== undefined && target !== 'blame' && provider?.isGenerated !== true;
  const window = isBounded ? withoutOld(asked, recordDays, now) : asked;
  if (window.until !== undefined && window.since !== undefined && window.until <= window.since)
    report(
      `the time to read lies before the ${recordDays ?? 0} days of which records are kept (RECORD_RETENTION_DAYS)`,
    );
  const orgId = nonEmpty(options.org) ?? nonEmpty(environment['ORG_ID']) ?? 'default';
  const workers = whole('MAX_WORKERS', nonEmpty(environment['MAX_WORKERS'])) ?? 4;
  const valueOf = (name: string | undefined): string | undefined => nonEmpty(environment[name ?? '']);
  const token = nonEmpty(options.auth) ?? valueOf(provider?.host?.tokenVariable);
  const selection = provider?.select(options, { token, variable: valueOf(provider.variable?.[0]) }, report);
  const batch: BatchOptions = {
    size: whole('--batch-size', options.batchSize) ?? 10,
    concurrency: whole('--max-concurrent', options.maxConcurrent) ?? workers,
    delayMilliseconds: seconds('--rate-limit-delay', options.rateLimitDelay, report) ?? 1000,
    maxRepos: whole('--max-repos', options.maxRepos),
    continuous: options.useAsync === true,
  };
  const period = 'window' in parsedWindow && options.period !== undefined ? Number(options.period) : undefined;
  const maxCommits = whole('--max-commits-per-repo', options.maxCommitsPerRepo);
  const pageSize = whole('BATCH_SIZE', nonEmpty(environment['BATCH_SIZE'])) ?? usualPage(databases);
  const echo = flag('DB_ECHO', environment['DB_ECHO'], report);

  if (
    problems.length > 0 ||
    target === undefined ||
    provider === undefined ||
    databases === undefined ||
    selection === undefined
  ) {
    return { ok: false, problems };
  }
  return {
    ok: true,
    request: {
      target,
      provider: provider.name,
      orgId,
      ...databases.addresses,
      selection,
      window,
      period,
      maxCommits,
      prune,
      pageSize,
      batch,
      workers,
      token,
      rulesFile: nonEmpty(options.rules) ?? nonEmpty(environment['WORK_UNIT_RULES']),
      echo,
      secrets: [...databases.secrets, ...(token === undefined ? [] : [token])],
    },
  };
}

/**
 * ClickHouse creates a part per insert and merges the parts later: few large inserts take half the time of many small
 * ones.
 */
function usualPage(databases: Databases | undefined): number {
  return databases?.addresses.primary.kind === 'clickhouse' ? 1000 : 100;
}

const SINKS = ['primary', 'secondary', 'both'] as const;

interface Databases {
  readonly addresses: { readonly primary: DatabaseAddress; readonly secondary: DatabaseAddress | undefined };
  readonly secrets: readonly string[];
}

function parseDatabases(options: SyncOptions, environment: Environment, report: Report): Databases | undefined {
  const sink = options.sink === undefined ? 'primary' : oneOf('--sink', options.sink, SINKS, report);
  const kind = options.dbType === undefined ? undefined : oneOf('--db-type', options.dbType, DATABASE_KINDS, report);
  const primaryText = nonEmpty(options.db) ?? nonEmpty(environment['DATABASE_URI']);
  const secondaryText = nonEmpty(environment['SECONDARY_DATABASE_URI']);
  if (sink === undefined) return undefined;
  const primary = sink === 'secondary' ? undefined : readAddress(PRIMARY, primaryText, kind, report);
  const secondary = sink === 'primary' ? undefined : readAddress(SECONDARY, secondaryText, undefined, report);
  const first = sink === 'secondary' ? secondary : primary;
  if (first === undefined || (sink === 'both' && secondary === undefined)) return undefined;
  if (sink === 'both' && primaryText === secondaryText) return report('SECONDARY_DATABASE_URI is the primary database');
  return {
    addresses: { primary: first, secondary: sink === 'both' ? secondary : undefined },
    secrets: [primaryText, secondaryText].filter((text) => text !== undefined).flatMap(passwordsOf),
  };
}

const PRIMARY = {
  name: '--db (or DATABASE_URI)',
  missing: 'no database: set --db or DATABASE_URI; --db embedded: is the built-in PostgreSQL of PLUMBLINE_HOME',
};
const SECONDARY = {
  name: 'SECONDARY_DATABASE_URI',
  missing: '--sink both and --sink secondary need SECONDARY_DATABASE_URI',
};

function readAddress(
  place: typeof PRIMARY,
  text: string | undefined,
  kind: DatabaseKind | undefined,
  report: Report,
): DatabaseAddress | undefined {
  if (text === undefined) return report(place.missing);
  const address = parseConnection(text, kind);
  return 'problem' in address ? report(`${place.name}: ${address.problem}`) : address;
}

/** The connection string and its password, as written and decoded. */
export function passwordsOf(connection: string): string[] {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/@]*?:([^/@]+)@/i.exec(connection)?.[1];
  return password === undefined ? [] : [connection, password, ...decodedPassword(password)];
}

function decodedPassword(password: string): string[] {
  try {
    const decoded = decodeURIComponent(password);
    return decoded === password ? [] : [decoded];
  } catch {
    return [];
  }
}

function oneOf<Value extends string>(
  name: string,
  text: string | undefined,
  values: readonly Value[],
  report: Report,
): Value | undefined {
  const found = values.find((value) => value === text);
  const given = text === undefined || text === '' ? `${name} is missing` : `${name} is ${JSON.stringify(text)}`;
  return found ?? report(`${given}: use one of ${values.join(', ')}`);
}

/** The trimmed text; undefined if it is empty. */
export function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}

function wholeNumber(name: string, text: string | undefined, report: Report): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,9}$/.test(text))
    return report(`${name} must be a whole number, at least 1; it is ${JSON.stringify(text)}`);
  return Number(text);
}

function seconds(name: string, text: string | undefined, report: Report): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,5}(\.\d+)?$/.test(text))
    return report(`${name} must be a number of seconds; it is ${JSON.stringify(text)}`);
  return Number(text) * 1000;
}

function flag(name: string, text: string | undefined, report: Report): boolean {
  const value = nonEmpty(text)?.toLowerCase() ?? 'false';
  if (['true', '1', 'yes', 'on'].includes(value)) return true;
  if (!['false', '0', 'no', 'off'].includes(value))
    report(`${name} must be true or false; it is ${JSON.stringify(text)}`);
  return false;
}
