/** All words of the page in one place, so that they can be translated. Figures are handed in as they are shown. */
import { count } from '../ui/count.js';
import { dayOf, wordsOf } from '../charts/words.js';
import { fewest } from './parts.js';
import { sentence, type Figure, type Sentence } from './sentence.js';
import type { Obstacle, Span, SpanName } from './span.js';

export const spanLabels: Readonly<Record<SpanName, string>> = {
  this_quarter: 'This quarter',
  last_quarter: 'Last quarter',
  this_month: 'This month',
  last_month: 'Last month',
  this_year: 'This year',
  last_year: 'Last year',
};

/** What a period is compared with, as a choice. */
export const comparisonLabel = ({ unit }: Pick<Span, 'unit'>): Readonly<Record<Span['comparison'], string>> => ({
  before: `The ${unit} before`,
  year_ago: `The same ${unit} a year ago`,
});

/** The former period, as a part of a sentence. */
const former = ({ unit, comparison }: Span): string =>
  comparison === 'year_ago' ? 'a year ago' : `the ${unit} before`;

const themeNames: Readonly<Record<string, string>> = {
  operational: 'Operational work',
  quality: 'Work on quality',
  risk: 'Work on risk',
  unclassified: 'Unclassified work',
};

const nameOfTheme = (theme: string): string => themeNames[theme] ?? wordsOf('THEME', theme);

const days = ({ startDate, endDate }: Span['range']): string => `${dayOf(startDate)} to ${dayOf(endDate)}`;

export const texts = {
  title: 'Your quarter',
  intro: 'What the work was spent on, what changed, and why. Every figure leads to what is behind it.',
  period: 'Period',
  comparedWith: 'Compared with',
  headings: {
    where: 'Where the work went',
    why: 'Why it changed',
    requests: 'Requests that mattered',
    delivery: 'How delivery moved',
    risk: 'What is at risk',
    teams: 'Teams',
  },
  /** Which days are compared. @param length of both periods in days */
  compared: (span: Span, length: number): string =>
    span.isRunning
      ? `${days(span.range)}, compared with ${days(span.previous)}. The ${span.unit} is not over: its first ${count(length, 'day is', 'days are')} compared with the beginning of ${span.comparison === 'year_ago' ? `the same ${span.unit} a year ago` : `the ${span.unit} before`}.`
      : `${days(span.range)}, compared with ${days(span.previous)}.`,
  fewRule: `Fewer than ${fewest} units, requests, deployments or incidents are not compared: they differ by chance. Persons and teams are not ranked.`,
  /** Why the former period is not compared with. */
  obstacle: (obstacle: NonNullable<Obstacle>): string => {
    switch (obstacle.kind) {
      case 'nothing':
        return 'No work is known, so nothing is compared.';
      case 'since':
        return `Not all work before ${dayOf(obstacle.day)} is known, so nothing is compared.`;
      case 'until':
        return `Work is known until ${dayOf(obstacle.day)}, the day of the last sync, so nothing is compared.`;
    }
  },

  total: {
    alone: (now: Figure): Sentence => sentence`${now} count in this period.`,
    few: (now: Figure, before: Figure, span: Span): Sentence =>
      sentence`${now}, ${before} ${former(span)}: too few to compare.`,
    none: (): Sentence => ['There was no work in this period.'],
    same: (now: Figure, before: Figure, span: Span): Sentence =>
      sentence`${now}, about as many as ${former(span)} (${before}).`,
    changed: (now: Figure, before: Figure, change: string, isMore: boolean, span: Span): Sentence =>
      sentence`${now}, ${change} ${isMore ? 'more' : 'fewer'} than ${former(span)} (${before}).`,
  },

  theme: {
    alone: (theme: string, now: Figure): Sentence => sentence`${nameOfTheme(theme)} took ${now} of the work.`,
    same: (theme: string, now: Figure, span: Span): Sentence =>
      sentence`${nameOfTheme(theme)} took ${now} of the work, as much as ${former(span)}.`,
    changed: (theme: string, now: Figure, before: Figure, span: Span): Sentence =>
      sentence`${nameOfTheme(theme)} took ${now} of the work, ${before} ${former(span)}.`,
    few: (themes: readonly string[]): Sentence => [
      `${list(themes.map((theme, at) => (at === 0 ? nameOfTheme(theme) : lower(nameOfTheme(theme)))))} had fewer than ${fewest} work units: too few to compare.`,
    ],
  },

  why: {
    nothing: 'Nothing changed by enough to look for a reason.',
    total: (repo: string, now: Figure, before: Figure, isMore: boolean, span: Span): Sentence =>
      sentence`${isMore ? 'Most of the additional work' : 'Most of the missing work'} is in ${repo}: ${now}, ${before} ${former(span)}.`,
    theme: (theme: string, points: string, isMore: boolean): Sentence => [
      `${nameOfTheme(theme)} changed most: ${points} ${isMore ? 'more' : 'less'} of the work.`,
    ],
    themeIn: (theme: string, repo: string, now: Figure, before: Figure, span: Span): Sentence =>
      sentence`The largest part of that is in ${repo}: ${lower(nameOfTheme(theme))} there was ${now} of all work, ${before} ${former(span)}.`,
    cycle: {
      unknown: (): Sentence => ['How long pull requests took is not known.'],
      few: (requests: Figure): Sentence => sentence`How long pull requests took: ${requests}, too few to compare.`,
      alone: (now: Figure): Sentence =>
        sentence`The median pull request took ${now} from its first commit to the merge.`,
      same: (now: Figure, span: Span): Sentence =>
        sentence`The median pull request took ${now} from its first commit to the merge, as long as ${former(span)}.`,
      changed: (now: Figure, before: Figure, span: Span): Sentence =>
        sentence`The median pull request took ${now} from its first commit to the merge, ${before} ${former(span)}.`,
    },
    partly: (share: string): string => ` That is known for ${share} of them.`,
    phase: (phase: string, now: Figure, before: Figure, span: Span): Sentence =>
      sentence`Of its phases, ${phase} changed most in that direction: ${now} in the median, ${before} ${former(span)}.`,
    repo: (repo: string, now: Figure, before: Figure, span: Span): Sentence =>
      sentence`Of the repositories, ${repo} adds most to it: ${now} in the median, ${before} ${former(span)}.`,
    size: {
      same: (now: Figure, span: Span): Sentence =>
        sentence`The median pull request changed ${now}, as many as ${former(span)}.`,
      changed: (now: Figure, before: Figure, span: Span): Sentence =>
        sentence`The median pull request changed ${now}, ${before} ${former(span)}.`,
    },
  },

  phases: {
    CODING_HOURS: 'coding',
    PICKUP_HOURS: 'the wait for a first review',
    REVIEW_HOURS: 'review',
    MERGE_HOURS: 'the wait for the merge',
    DEPLOY_HOURS: 'the wait for the deployment',
  } as Readonly<Record<string, string>>, // by measure

  requests: {
    rule: 'Merged pull requests: the three with the most changed lines, then the two others that took longest. Bots are left out.',
    none: 'No pull request was merged in this period.',
    untitled: 'A pull request without a stored title',
    facts: (repo: string, lines: string | null, time: string | null): string =>
      ` in ${repo}: ${lines ?? 'size not known'}, ${time ?? 'duration not known'}.`,
  },

  delivery: {
    noDeployments: (): Sentence => [
      'How often code is deployed to production is not known: no sync has read deployments.',
    ],
    few: (what: string, units: Figure): Sentence => sentence`${what}: ${units}, too few to compare.`,
    unknown: (what: string): Sentence => [`${what}: not known.`],
    alone: (what: string, now: Figure): Sentence => sentence`${what}: ${now}.`,
    same: (what: string, now: Figure, span: Span): Sentence => sentence`${what}: ${now}, as ${former(span)}.`,
    changed: (what: string, now: Figure, before: Figure, span: Span): Sentence =>
      sentence`${what}: ${now}, ${before} ${former(span)}.`,
    frequency: 'Deployments to production',
    leadTime: 'Median lead time from the first commit to production',
    failureRate: 'Deployments that an incident counts against',
    restore: 'Median time to restore',
    deployments: (amount: number): string => count(amount, 'deployment', 'deployments'),
    requests: (amount: number): string => count(amount, 'request', 'requests'),
    incidents: (amount: number): string => count(amount, 'resolved incident', 'resolved incidents'),
  },

  risk: {
    failures: (failed: Figure, deployments: string, isOne: boolean): Sentence =>
      sentence`${failed} of ${deployments} to production failed: an incident counts against ${isOne ? 'it' : 'each'}.`,
    noFailure: (deployments: Figure): Sentence => sentence`None of ${deployments} to production failed.`,
    nothingDeployed: (): Sentence => ['Nothing was deployed to production, so no deployment failed.'],
    failuresUnknown: (): Sentence => ['How many deployments failed is not known.'],
    openUnknown: (): Sentence => ['How many pull requests were open is not known.'],
    noneOpen: (day: string): Sentence => [`No pull request was open at the end of ${day}.`],
    fewOpen: (open: Figure, day: string): Sentence => sentence`${open} open at the end of ${day}: too few to compare.`,
    open: (open: Figure, day: string, median: string): Sentence =>
      sentence`${open} open at the end of ${day}, half of them for ${median} or longer`,
    openBefore: (median: string, span: Span): string => `; ${former(span)}, half were for ${median} or longer`,
    requestsWere: (amount: number): string => count(amount, 'pull request was', 'pull requests were'),
    unclassified: (share: Figure): Sentence =>
      sentence`No rule classifies ${share} of the work, so the shares of the themes are too small by that much.`,
    allClassified: (): Sentence => ['All work is classified.'],
    limits: (repos: number, day: string): Sentence => [
      `Of ${count(repos, 'repository', 'repositories')}, work before ${day} is known in part only.`,
    ],
    code: 'Files that change often, and directories that few people know, are shown for one repository at a time, on',
    delivery: 'Delivery',
  },

  teams: {
    rule: 'In alphabetical order, because teams are not ranked: what a work unit takes differs between them.',
    cut: 'These are the 50 teams with the most work units.',
    columns: { team: 'Team', now: 'Work units', before: 'Before' },
    none: 'No work in these days has a team.',
    table: 'Work units by team',
  },
};

/** "a, b and c". */
function list(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

function lower(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
