import type { OptionHelp } from '../sync/providers/description.js';
import { PROVIDERS } from '../sync/providers/registry.js';
import { TARGETS, type Target } from '../sync/targets.js';

const HOSTS = PROVIDERS.flatMap(({ name, host, options }) => (host === undefined ? [] : [{ name, host, options }]));

function joined(names: readonly string[], word: 'and' | 'or'): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((text) => text !== '').join(` ${word} `);
}

const namesOf = (some: readonly { readonly name: string }[]): readonly string[] => some.map(({ name }) => name);

/** The names of the code hosts in a sentence. */
export const hostsJoined = (word: 'and' | 'or'): string => joined(namesOf(HOSTS), word);

/** The providers with their aliases, and the variables with tokens. */
export const providersHelp = PROVIDERS.map(({ name, alias }) => (alias ? `${name} (or ${alias})` : name)).join(', ');
const TOKEN_VARIABLES = HOSTS.map(({ host }) => host.tokenVariable);
export const tokensHelp = joined(TOKEN_VARIABLES, 'or');

/** The options of code hosts: flags, and what they are for. Hosts can share an option. */
export const hostOptions: readonly OptionHelp[] = [
  ...new Map(HOSTS.flatMap(({ options }) => Object.values(options))),
].map(([flags, text]) => {
  const hosts = HOSTS.filter(({ options }) => Object.values(options).some(([each]) => each === flags));
  return [flags, `${joined(namesOf(hosts), 'and')}: ${text}`];
});

const CONTENTS: Readonly<Record<Target, string>> = {
  git: 'commits and file statistics',
  prs: 'pull or merge requests, reviews',
  blame: 'who last changed each line',
  cicd: 'pipeline runs',
  deployments: 'deployments',
  incidents: 'issues labelled "incident"',
  issues: 'issues, their state changes',
};

function targetsTable(): string {
  const row = (target: string, text: string, cells: readonly string[]): string => {
    const columns = cells.map((cell, index) => cell.padEnd((PROVIDERS[index]?.name.length ?? 0) + 3));
    return `  ${target.padEnd(13)}${text.padEnd(33)}${columns.join('')}`.trimEnd();
  };
  const support = (target: Target): string[] =>
    PROVIDERS.map(({ targets }) => (targets.includes(target) ? 'yes' : '-'));
  const rows = TARGETS.map((target) => row(target, CONTENTS[target], support(target)));
  return [row('', '', namesOf(PROVIDERS)), ...rows].join('\n');
}

const TOKENS =
  `Tokens: ${PROVIDERS.flatMap(({ tokens }) => tokens ?? []).join(' ')} CODEOWNERS is read from the default branch; ` +
  'if the token may not read it, teams stay unchanged.';

/** A paragraph in lines of at most 120 characters. */
function wrapped(text: string): string {
  return text.replaceAll(/(.{1,120})(?: |$)/g, '$1\n').trimEnd();
}

function variableLines(): string {
  return PROVIDERS.flatMap(({ name, host, variable }) => [
    ...(host === undefined ? [] : [[host.tokenVariable, `access token for ${name}`]]),
    ...(variable === null ? [] : [[`${variable[0]} (${variable[1]})`, variable[2]]]),
  ])
    .map(([variable = '', text = '']) => `  ${variable.padEnd(24)}${text}`)
    .join('\n');
}

/** The text after the options in `plumbline sync --help`. */
export const SYNC_HELP = `
Targets and their providers:
${targetsTable()}
  all          all of these that the provider has, one after the other, in this order

The local provider infers requests from merge commits, and from refs/pull or refs/merge-requests if they were fetched.
Without a time filter and --max-commits-per-repo, git reads the 100 most recent commits, the last 50 of them with
statistics; --period reads all with statistics. From a host, later syncs read all newer commits. A clone and its remote are one repository: their records
are merged.
git --prune removes commits, with their work units, that a rewritten history no longer has: after a complete list of
what the source reaches, and only within the time filter. Otherwise they stay.

Databases, by the scheme of --db:
  postgres:// postgresql://                      PostgreSQL
  sqlite:records.db sqlite:////var/lib/x.db      SQLite, a file that is created if necessary
  mongodb:// mongodb+srv://                      MongoDB
  clickhouse:// clickhouse+http(s)://            ClickHouse, over HTTP
  chdb:folder                                    ClickHouse in this process (npm install chdb); a server with
                                                 this ANALYTICS_URI locks the folder and runs its own syncs
  embedded:                                      the built-in PostgreSQL of PLUMBLINE_HOME, started if necessary

${wrapped(TOKENS)}

Environment:
  DATABASE_URI            database to write to, unless --db is set
  SECONDARY_DATABASE_URI  the second database, for --sink both and --sink secondary
${variableLines()}
  ORG_ID (default)        organization of the records, unless --org is set
  WORK_UNIT_RULES         rules file for work units, unless --rules is set
  BATCH_SIZE (100)        records per write; 1000 with ClickHouse
  MAX_WORKERS (4)         concurrent processes or repositories
  RECORD_RETENTION_DAYS   days of which records are kept: earlier ones are not read
  DB_ECHO (false)         print all statements sent to a database
  PLUMBLINE_HOME (.plumbline)  folder of the built-in PostgreSQL

The settings file of --config or PLUMBLINE_CONFIG can contain all of these. Databases and tokens can also be read from
files: HOST_A_TOKEN_FILE names a file that contains HOST_A_TOKEN.

Each page is stored on arrival, together with the position of the sync. An interrupted sync resumes there when you run
it again. Syncs are idempotent. Ctrl-C stops after the current page, a second Ctrl-C stops at once.

Exit codes: 0 success; 1 failure; 2 invalid or missing input, all of it listed; 3 some repositories failed, or the
secondary database is behind (the next run repairs it). A --search pattern that matches no repository is a failure (1).
The target all has a summary for each target, and the exit code of the worst one. It ends with the first target that
cannot start.

Examples:
  plumbline sync all --provider local --db embedded:
      everything that this directory has, into the built-in database
  plumbline sync git --provider local --db embedded:
      the last 100 commits of this directory, into the built-in database
  plumbline sync git --provider local --repo-path ../app --since 2000-01-01 --db sqlite:app.db
      the whole history of a clone, into a file
  plumbline sync prs --provider host_a --owner acme --repo app --db postgres://user@host/analytics
      the requests of one repository; HOST_A_TOKEN contains the token
  plumbline sync deployments --provider host_b --project-id 4711 --host-b-url https://git.example.com --db embedded:
      the deployments of a project on a self-hosted instance
  plumbline sync git --provider host_a --search "acme/api-*" --max-concurrent 8 --db embedded: --json
      all repositories of acme whose names begin with api-, with a machine-readable summary
  plumbline sync prs --provider synthetic --backfill 365 --db embedded:
      a year of synthetic data, to try things out
`;
