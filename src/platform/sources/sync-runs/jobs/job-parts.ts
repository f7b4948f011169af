import { faultOfBaseUrl } from '../../integrations/base-url.js';
import { matchesPattern, splitSelection } from '../../../../sync/batch.js';
import { SyncError, type SyncFailure } from '../../../../sync/failures.js';
import type { SyncOptions } from '../../../../sync/options.js';
import type { Part } from '../../../../sync/providers/description.js';
import { codeHostOf, describedProvider } from '../../../../sync/providers/registry.js';
import { demoRepositories } from '../../../figures/demo/demo-content.js';
import type { SyncJob } from './sync-job.js';

/** One repository, or a pattern that the provider resolves: the argument of one `plumbline sync` call. */
export interface JobPart extends Omit<Part, 'options'> {
  /** All options except the target. */
  readonly options: SyncOptions;
  /** Why the part cannot be synced; null: it can. */
  readonly error: SyncFailure | null;
}

/**
 * Splits a job into parts. Patterns of `local` and `synthetic` are resolved here; the code host resolves its own.
 * Repositories that the provider cannot have become parts with an error. Patterns with `!` before them leave out what they
 * match of the others.
 */
export async function partsOf(job: SyncJob): Promise<JobPart[]> {
  const parts = new Map<string, JobPart>();
  const { included, excepted } = splitSelection(job.repositories);
  for (const selected of included) {
    for (const part of await partsOrFault(selected, job)) {
      const isExcepted = !part.isPattern && excepted.some((pattern) => matchesPattern(pattern, part.selected));
      if (!isExcepted && !parts.has(part.selected)) parts.set(part.selected, withExceptions(part, excepted));
    }
  }
  return [...parts.values()];
}

/** The code host resolves the pattern, and compares each name with the exceptions. */
function withExceptions(part: JobPart, excepted: readonly string[]): JobPart {
  const { search } = part.options;
  if (search === undefined || excepted.length === 0) return part;
  return { ...part, options: { ...part.options, search: [search, ...excepted.map((each) => `!${each}`)].join(' ') } };
}

async function partsOrFault(selected: string, job: SyncJob): Promise<JobPart[]> {
  try {
    const common: SyncOptions = {
      provider: job.provider,
      db: job.store,
      org: job.orgId,
      ...(job.rulesFile === null ? {} : { rules: job.rulesFile }),
      ...accessOf(job),
    };
    const server = { localRoot: job.localRoot, madeUp: demoRepositories };
    const parts = await describedProvider(job.provider).parts(selected, server);
    return parts.map((part) => ({ ...part, options: { ...common, ...part.options }, error: null }));
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    return [{ selected, isPattern: false, options: {}, error: { code: error.code, message: error.message } }];
  }
}

/** @throws SyncError (`not_found`) for an address where no code host is allowed */
function accessOf({ provider, credential, integrationNetworks }: SyncJob): SyncOptions {
  if (credential === null) return {};
  const { token, baseUrl } = credential;
  if (baseUrl === null) return { auth: token };
  const fault = faultOfBaseUrl(baseUrl, integrationNetworks);
  if (fault !== null) throw new SyncError('not_found', `The address of the code host cannot be used: it ${fault}.`);
  const { urlOption, apiPath } = codeHostOf(provider);
  const url = baseUrl.replace(/\/+$/, '');
  // Users copy the address from a browser or from the API's documentation; the client appends the API's path itself.
  return { auth: token, [urlOption]: url.endsWith(apiPath) ? url.slice(0, url.length - apiPath.length) : url };
}
