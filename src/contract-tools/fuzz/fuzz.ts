import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { Contract } from '../gate/contract.js';
import { allowedDrafts, plannedDrafts } from './allowed.js';
import { planRequest, type PlannedRequest } from './draft.js';
import { explore, type Finding } from './explore.js';
import { spoilers } from './forbidden.js';
import { judgeReply } from './judge-reply.js';
import type { Sender } from './send.js';
import type { Subject } from './subject.js';

/** What requests to an operation have in common. */
export type Kind = 'allowed' | 'forbidden' | 'undocumented method';

/** The outcomes of the requests of one kind to one operation. */
export interface Result {
  readonly name: string;
  readonly kind: Kind;
  /** How many replies had each status; `none` where there was no reply. */
  readonly statuses: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
  /** The edges that no allowed request could be made to have, or the rules that none could be made to break. */
  readonly untried: number;
}

/** Whether no request was sent, so that nothing is known. */
export function isUntried({ statuses }: Result): boolean {
  return statuses.size === 0;
}

/** The result of requests that were not sent. */
export function untried(name: string, kind: Kind): Result {
  return { name, kind, statuses: new Map(), findings: [], untried: 0 };
}

export interface FuzzSettings {
  readonly seed: number;
  /** For each kind of request. */
  readonly requests: number;
}

/**
 * Sends an operation the requests of every run, then other allowed requests, then requests that break its rules one by
 * one.
 */
export async function fuzzOperation(subject: Subject, sender: Sender, settings: FuzzSettings): Promise<Result[]> {
  const { contract, operation } = subject;
  const drafts = allowedDrafts(subject);
  const allowed = new Tally({ contract, name: operation.id, kind: 'allowed' }, sender, settings.seed);
  const requestsOf = (some: typeof drafts): fc.Arbitrary<PlannedRequest | null> =>
    some.map((draft) => (draft === null ? null : planRequest(subject, draft, null)));
  for (const planned of plannedDrafts(subject)) await allowed.try(requestsOf(planned), 1);
  await allowed.try(requestsOf(drafts), settings.requests);
  const spoils = spoilers(subject);
  const forbidden = new Tally({ contract, name: operation.id, kind: 'forbidden' }, sender, settings.seed);
  for (const spoil of spoils) {
    const requests = fc.tuple(drafts, spoil).map(([draft, change]) => {
      const spoiled = draft === null ? null : change(draft);
      return spoiled === null ? null : planRequest(subject, spoiled.draft, spoiled.violation);
    });
    await forbidden.try(requests, Math.max(leastPerRule, Math.ceil(settings.requests / spoils.length)));
  }
  return spoils.length === 0 ? [allowed.result()] : [allowed.result(), forbidden.result()];
}

/** Forbidden requests for each rule, however many rules there are. */
const leastPerRule = 2;

/** Sends requests with methods that the contract does not have to each path. */
export async function fuzzMethods(subjects: readonly Subject[], sender: Sender): Promise<Result[]> {
  const paths = new Map(subjects.map((subject) => [subject.operation.path, subject]));
  const results: Result[] = [];
  for (const [path, subject] of paths) {
    const { contract } = subject;
    const documented = new Set(contract.operations.filter((each) => each.path === path).map(({ method }) => method));
    const draft = allowedDrafts(subject).map((each) => (each === null ? null : planRequest(subject, each, null)));
    const place = fc.sample(draft, { seed: 1, numRuns: 20 }).find((each) => each !== null);
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !documented.has(method));
    if (methods.length === 0) continue;
    if (place === undefined) {
      results.push(untried(path, 'undocumented method'));
      continue;
    }
    const violation = { rule: 'the method', text: 'the contract has no such method here' };
    const requests = fc.constantFrom(
      ...methods.map((method) => ({ ...place, method, path: place.path.replace(/\?.*$/s, ''), body: null, violation })),
    );
    const tally = new Tally({ contract, name: path, kind: 'undocumented method' }, sender, 1);
    await tally.try(requests, methods.length * 2);
    results.push(tally.result());
  }
  return results;
}

/** Tries requests of one kind, and counts their replies. */
class Tally {
  readonly #statuses = new Map<string, number>();
  readonly #findings: Finding[] = [];
  #tries = 0;
  #untried = 0;

  readonly #of: { readonly contract: Contract; readonly name: string; readonly kind: Kind };
  readonly #sender: Sender;
  readonly #seed: number;

  constructor(of: { contract: Contract; name: string; kind: Kind }, sender: Sender, seed: number) {
    this.#of = of;
    this.#sender = sender;
    this.#seed = seed;
  }

  async try(requests: fc.Arbitrary<PlannedRequest | null>, count: number): Promise<void> {
    const { contract, name, kind } = this.#of;
    this.#tries += 1;
    const seed = seedOf(this.#seed, name, kind, String(this.#tries));
    const known = new Set(this.#findings.map(({ fault }) => fault.rule));
    let sent = 0;
    const found = await explore(requests, { seed, count, known }, async (request) => {
      sent += 1;
      const outcome = await this.#sender.send(request);
      const key = String(outcome.status ?? 'none');
      this.#statuses.set(key, (this.#statuses.get(key) ?? 0) + 1);
      return { fault: judgeReply(contract, request, outcome), status: outcome.status };
    });
    if (sent === 0) this.#untried += 1;
    this.#findings.push(...found);
  }

  result(): Result {
    const { name, kind } = this.#of;
    return { name, kind, statuses: this.#statuses, findings: this.#findings, untried: this.#untried };
  }
}

/** A seed for one operation, so that it gets the same requests without the others. */
function seedOf(seed: number, ...names: readonly string[]): number {
  return createHash('sha256')
    .update([seed, ...names].join('\n'))
    .digest()
    .readInt32BE(0);
}
