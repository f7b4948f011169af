import type { Schemas } from '@plumbline/sdk/platform';

export type Provider = Schemas['SyncProvider'];
export type Target = Schemas['SyncTarget'];
export type RunStatus = Schemas['SyncRunStatus'];

/** A provider, as the server has described it in the page. */
interface Source {
  readonly name: Provider;
  readonly title: string;
  readonly targets: readonly Target[];
  /** Names of repositories, one a line. */
  readonly example: string;
  readonly isGenerated: boolean;
  readonly isHost: boolean;
  /** Whether every installation has an address of its organization. */
  readonly isSelfHosted: boolean;
  /** The form of its access tokens, as a sentence; empty if they have no special one. */
  readonly tokenForm: string;
}

const sourcesTag = document.querySelector<HTMLMetaElement>('meta[name="plumbline-sources"]');
const sources = JSON.parse(sourcesTag?.content ?? '[]') as readonly Source[]; // the server writes it from its registry

function titlesOf(some: readonly Source[]): Readonly<Record<Provider, string>> {
  const titles = some.map(({ name, title }) => [name, title]);
  return Object.fromEntries(titles) as Record<Provider, string>; // the registry has each provider of the contract
}

/** What each code host is called. */
export const codeHosts: Readonly<Record<Schemas['CodeHost'], string>> = titlesOf(
  sources.filter(({ isHost }) => isHost),
);

/** What each provider is called. */
export const providers = titlesOf(sources);

/** What the server says of a provider; undefined only in a page that it has not written. */
export function sourceOf(provider: Provider): Source | undefined {
  return sources.find(({ name }) => name === provider);
}

/** What each target is called. */
const targets: Readonly<Record<Target, string>> = {
  git: 'Commits',
  prs: 'Pull or merge requests',
  blame: 'Origin of each line',
  cicd: 'Pipeline runs',
  deployments: 'Deployments',
  incidents: 'Incidents',
  issues: 'Issues',
};

export const allTargets = Object.keys(targets) as readonly Target[]; // keys of a record are its type's keys

/** The targets that can be read from a provider. */
export function targetsOf(provider: Provider): Readonly<Partial<Record<Target, string>>> {
  return Object.fromEntries(sourceOf(provider)?.targets.map((target) => [target, targets[target]]) ?? []);
}

/** Targets in a sentence: `commits, deployments`. */
export function targetList(chosen: readonly Target[]): string {
  return chosen.map((target) => targets[target].toLowerCase()).join(', ');
}

/** The state of a run in words, and how it is marked. The sign keeps its meaning without colour. */
export const statuses: Readonly<Record<RunStatus, { readonly text: string; readonly mark: string }>> = {
  pending: { text: '… waiting', mark: '' },
  running: { text: '▸ running', mark: '' },
  partial: { text: '! partly read', mark: 'warn' },
  complete: { text: '✓ complete', mark: 'good' },
  failed: { text: '✗ failed', mark: 'bad' },
  cancelled: { text: '– cancelled', mark: '' },
};

/** How long something took: `42 s`, `4 min 30 s`, `2 h 5 min`. */
export function duration(from: string, to: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds} s`;
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A few names, and how many more there are. */
export function shortList(names: readonly string[], shown = 3): string {
  const rest = names.length - shown;
  return rest > 0 ? `${names.slice(0, shown).join(', ')} and ${rest} more` : names.join(', ');
}
