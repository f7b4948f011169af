import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { readDocument } from '../gate/contract.js';
import { surfaceName } from '../gate/surface.js';
import { loadDocument } from '../load-document.js';
import { probe } from '../probe.js';
import { openSchemas } from '../schemas.js';
import { parseTarget, UsageError } from '../usage-error.js';
import { fuzzMethods, fuzzOperation, untried, type Result } from './fuzz.js';
import { jsonReport, junitReport, printFindings, printResults, type Report } from './report.js';
import { createSender, type Sender } from './send.js';
import { isSafe, subjectsOf, type Subject } from './subject.js';

/** What `plumbline fuzz` was asked for. */
export interface FuzzOptions {
  readonly seed?: string;
  readonly requests: string;
  readonly header?: readonly string[];
  readonly operation?: readonly string[];
  readonly tag?: readonly string[];
  readonly skip?: readonly string[];
  /** `name=value`: what is sent for the parameters of that name. */
  readonly parameter?: readonly string[];
  readonly safeOnly?: boolean;
  readonly unsafe?: boolean;
  readonly junit?: string;
  readonly json?: string;
}

/**
 * Sends a server what its contract allows and what it forbids, and judges every reply by the contract.
 *
 * @param print where lines for people go
 * @returns the exit code: 0 if every reply was as documented, 1 if not
 * @throws UsageError, DocumentError
 */
export async function runFuzz(
  path: string,
  serverText: string,
  options: FuzzOptions,
  print: (line: string) => void,
): Promise<number> {
  const document = loadDocument(path);
  const contract = readDocument(surfaceName, document);
  const server = withBasePath(parseTarget(serverText), contract.basePath);
  const settings = { seed: seedIn(options.seed), requests: countOf(options.requests) };
  const headers = headersIn(options.header ?? []);
  const all = subjectsOf(contract, openSchemas(document, 'requests'), parametersIn(options.parameter ?? []));
  const subjects = selected(all, server, options, print);
  await probe(server, 'correct its address');
  const sender = createSender(server, headers, credentialHeaders(subjects));
  print(`Seed ${settings.seed}`);
  const results = await fuzzAll(
    subjects,
    sender,
    settings,
    mayChange(server, options),
    () => probe(server, 'try again'),
    print,
  );
  const secret = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const report: Report = { path, server: server.href, seed: settings.seed, results, sender, secret };
  print(printFindings(report));
  if (options.junit !== undefined) await writeFile(options.junit, junitReport(report));
  if (options.json !== undefined) await writeFile(options.json, jsonReport(report));
  return results.every(({ findings }) => findings.length === 0) ? 0 : 1;
}

/** Tries the operations one after another, as long as the server is there. */
async function fuzzAll(
  subjects: readonly Subject[],
  sender: Sender,
  settings: { seed: number; requests: number },
  isUnsafe: boolean,
  check: () => Promise<void>,
  print: (line: string) => void,
): Promise<Result[]> {
  const results: Result[] = [];
  const add = (more: readonly Result[]): void => {
    results.push(...more);
    for (const result of more) print(printResults(result));
  };
  for (const [index, subject] of subjects.entries()) {
    add(await fuzzOperation(subject, sender, settings));
    if (!(await answers(results, check))) {
      print('The server has stopped: the other operations were not tried.');
      add(subjects.slice(index + 1).map(({ operation }) => untried(operation.id, 'allowed')));
      return results;
    }
  }
  if (isUnsafe) add(await fuzzMethods(subjects, sender));
  return results;
}

/** Whether the server can be reached, asked only after a request without a reply. */
async function answers(results: readonly Result[], check: () => Promise<void>): Promise<boolean> {
  if (!results.some(({ statuses }) => statuses.has('none'))) return true;
  try {
    await check();
    return true;
  } catch {
    return false;
  }
}

/** Operations that are asked for, and that may be called. */
function selected(
  all: readonly Subject[],
  server: URL,
  options: FuzzOptions,
  print: (line: string) => void,
): readonly Subject[] {
  const { operation: ids = [], tag: tags = [], skip = [] } = options;
  const known = new Set(all.flatMap(({ operation, tags: own }) => [operation.id, ...own]));
  const unknown = [...ids, ...tags, ...skip].filter((each) => !known.has(each));
  if (unknown.length > 0) throw new UsageError(`The contract has no operation or tag ${unknown.join(', ')}.`);
  const isAll = ids.length + tags.length === 0;
  const chosen = all.filter(
    ({ operation, tags: own }) =>
      !skip.includes(operation.id) && (isAll || ids.includes(operation.id) || own.some((each) => tags.includes(each))),
  );
  const callable = mayChange(server, options) ? chosen : chosen.filter(isSafe);
  if (callable.length < chosen.length) {
    const left = chosen.length - callable.length;
    print(
      `${left} operations that change data are left out${options.safeOnly === true ? '' : '; --unsafe includes them'}.`,
    );
  }
  if (callable.length === 0) throw new UsageError('There is no operation to call.');
  return callable;
}

/** A server on this machine is one for tests; another one may have data that matters. */
function mayChange({ hostname }: URL, { safeOnly, unsafe }: FuzzOptions): boolean {
  if (safeOnly === true && unsafe === true) throw new UsageError('--safe-only and --unsafe exclude each other.');
  if (safeOnly === true) return false;
  return unsafe === true || hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}

/** The address, with the path of the contract's first server where it has none. */
function withBasePath(server: URL, basePath: string): URL {
  return server.pathname === '/' ? new URL(basePath === '' ? '/' : basePath, server) : server;
}

/** The headers that carry credentials: a request without credentials lacks them. */
function credentialHeaders(subjects: readonly Subject[]): Set<string> {
  const schemes = subjects.flatMap(({ documented }) => documented.security.flat());
  return new Set(
    schemes.flatMap(({ in: location, parameter }) =>
      location === 'header' ? [parameter.toLowerCase()] : location === 'cookie' ? ['cookie'] : [],
    ),
  );
}

function headersIn(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const match = /^([!#$%&'*+.^_`|~\w-]+): *([\x20-\x7e]*)$/.exec(text);
      // The text may be a secret.
      if (match === null) throw new UsageError("--header needs a name and a value, such as 'Authorization: Bearer x'.");
      return [match[1] ?? '', match[2] ?? ''];
    }),
  );
}

function parametersIn(texts: readonly string[]): Map<string, string> {
  return new Map(
    texts.map((text) => {
      const [name = '', ...value] = text.split('=');
      if (name === '' || value.length === 0) throw new UsageError(`--parameter ${text} is not of the form name=value.`);
      return [name, value.join('=')];
    }),
  );
}

function seedIn(text: string | undefined): number {
  if (text === undefined) return randomInt(1e9);
  if (!/^\d{1,9}$/.test(text)) throw new UsageError('--seed must be a number from 0 to 999999999.');
  return Number(text);
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError('--requests must be a number from 1 to 999999.');
  return Number(text);
}
