/** What `plumbline sync --help` says beside the options. */
export const SYNC_HELP = `
Targets and the providers that have them:
                                                local   host_a   host_b   synthetic
  git          commits and file statistics      yes     yes      yes      yes
  prs          pull or merge requests, reviews  yes     yes      yes      yes
  blame        who last changed each line       yes     yes      yes      yes
  cicd         pipeline runs                    -       yes      yes      yes
  deployments  deployments                      -       yes      yes      yes
  incidents    issues labelled "incident"       -       yes      yes      yes

A clone infers its requests from merge commits and from refs/pull or refs/merge-requests, if they were fetched.
Without a time filter and --max-commits-per-repo, git takes the 100 most recent commits, the last 50 of them with
statistics. A clone and its remote are one repository, so that records of both mix.

Databases, by the scheme of --db:
  postgres:// postgresql://                      PostgreSQL
  sqlite:records.db sqlite:////var/lib/x.db      SQLite, a file that is made if need be
  mongodb:// mongodb+srv://                      MongoDB
  clickhouse:// clickhouse+http(s)://            ClickHouse, over HTTP
  chdb:folder                                    ClickHouse in this process (npm install chdb); a server with
                                                 this ANALYTICS_URI has the folder to itself and syncs on its own
  embedded:                                      the built-in PostgreSQL of PLUMBLINE_HOME, started if no server holds it

Tokens: host_a always needs one; any valid token reads public repositories, private ones need the scope repo, those of
an organization read:org too. host_b needs one for private projects, with the scopes read_api and read_repository.
CODEOWNERS is read from the default branch; where a token may not read it, the sync goes on and teams stay as they are.

Environment:
  DATABASE_URI            database to write to, unless --db names one
  SECONDARY_DATABASE_URI  the second database, for --sink both and --sink secondary
  HOST_A_TOKEN            access token for host_a
  HOST_B_TOKEN            access token for host_b
  REPO_PATH (.)           clone to read, unless --repo-path names one
  ORG_ID (default)        organization of the records, unless --org names one
  WORK_UNIT_RULES         rules file for work units, unless --rules names one
  BATCH_SIZE (100)        records stored at once; 1000 with ClickHouse
  MAX_WORKERS (4)         processes or repositories at a time
  DB_ECHO (false)         print every statement that is sent to a database
  PLUMBLINE_HOME (.plumbline)  folder of the built-in PostgreSQL

The settings file of --config or PLUMBLINE_CONFIG can hold all of these. The databases and tokens can also be read from a
file each: HOST_A_TOKEN_FILE names one that holds HOST_A_TOKEN.

Each page is stored as it arrives, together with how far the sync has come: interrupt it at any moment and run it again
to go on from there. Running it twice changes nothing. Ctrl-C stops after the page in hand, a second one at once.

Exit codes: 0 done; 1 failed; 2 wrong or missing input, all of it listed; 3 some repositories failed, or the secondary
database is behind (the next run repairs it). A pattern of --search that matches no repository is a failure (1).

Examples:
  plumbline sync git --provider local --db embedded:
      the last 100 commits of this directory, into the built-in database
  plumbline sync git --provider local --repo-path ../app --since 2000-01-01 --db sqlite:app.db
      the whole history of a clone, into a file
  plumbline sync prs --provider host_a --owner acme --repo app --db postgres://user@host/analytics
      the requests of one repository; the token is in HOST_A_TOKEN
  plumbline sync deployments --provider host_b --project-id 4711 --host-b-url https://git.example.com --db embedded:
      the deployments of a project on a self-hosted instance
  plumbline sync git --provider host_a --search "acme/api-*" --max-concurrent 8 --db embedded: --json
      all repositories of acme whose names begin with api-, with a summary for a program to read
  plumbline sync prs --provider synthetic --backfill 365 --db embedded:
      a year of data that is made up, to try things out
`;
