/**
 * Generates one day of a synthetic repository. A day depends only on the seed, the repository's name, the density and
 * the date. So overlapping syncs generate the same records, and any day can be generated without the previous ones.
 */
import { randomNamed } from './random.js';
import type { Random } from './random.js';
import type { Change, Group, Person } from './vocabulary.js';
import { CHANGES, FILES, GROUP_OF_WORD, GROUPS, membersOf, UPGRADE_BOT } from './vocabulary.js';

export const DAY = 86_400_000;
const HOUR = 3_600_000;
const MINUTE = 60_000;

/** The parameters that all days of a repository share. */
export interface Repository {
  readonly name: string;
  readonly seed: number;
  /** Commits per working day, or, with `isEven`, on every day exactly. */
  readonly commitsPerDay: number;
  readonly isEven: boolean;
}

/** 2000-01-01: the first day that can be generated. Requests are numbered from this day. */
export const FIRST_DAY = 10_957;

export interface MadeCommit {
  readonly hash: string;
  readonly title: string;
  readonly author: Person;
  readonly when: number;
  readonly files: readonly { readonly path: string; readonly additions: number; readonly deletions: number }[];
}

export interface MadeReview {
  readonly id: string;
  readonly reviewer: Person;
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED';
  readonly when: number;
}

export interface MadeRequest {
  readonly number: number;
  readonly change: Change;
  readonly author: Person;
  readonly created: number;
  /** The time of its merge or close; null if it stays open. */
  readonly ended: number | null;
  readonly isMerged: boolean;
  readonly commits: readonly MadeCommit[];
  readonly reviews: readonly MadeReview[];
  readonly comments: number;
}

/** A request with its commits, or a commit outside any request. */
export type Work = { readonly request: MadeRequest } | { readonly commit: MadeCommit };

/** The share of commits that belong to requests. */
const IN_REQUESTS = 0.8;
const WEEKEND_DENSITY = 0.2;
const MOST_COMMITS = 5;
/** Requests end within this time or never: a later sync generates no older days again (`open-synthetic.ts`). */
const LONGEST_OPEN = 13 * DAY;

/** How long a group waits, in percent of the usual time: some teams review sooner than others. */
const PACE: Readonly<Record<Group, number>> = { frontend: 80, backend: 100, platform: 130, operations: 90 };
/** The days after which waiting times repeat their rise and fall, so that their trend can be seen. */
const SEASON = 120;

/**
 * Generates the work that begins on a day (counted from 1970-01-01), in a fixed order. Only one item is in memory at a
 * time.
 */
export function* workOf(repository: Repository, day: number): Generator<Work> {
  const random = randomNamed(`${repository.seed} ${repository.name} ${day} work`);
  const total = commitsOn(repository, day, random);
  // Numbers increase from day to day: each day reserves as many numbers as it may have commits.
  const room = Math.ceil(repository.commitsPerDay * (repository.isEven ? 1 : 2));
  let number = (day - FIRST_DAY) * Math.max(1, room) + 1;
  for (let made = 0; made < total;) {
    if (made >= total * IN_REQUESTS) {
      const { change, author } = makeTask(repository, random);
      yield { commit: makeCommit(random, change.title, change, author, timeOn(day, random)) };
      made += 1;
      continue;
    }
    const request = makeRequest(repository, random, { number, day, room: total - made });
    number += 1;
    made += request.commits.length;
    yield { request };
  }
}

function commitsOn({ commitsPerDay, isEven }: Repository, day: number, random: Random): number {
  if (isEven) return commitsPerDay;
  const mean = commitsPerDay * (isWeekend(day) ? WEEKEND_DENSITY : 1);
  return Math.round((mean * random.between(50, 150)) / 100);
}

export function isWeekend(day: number): boolean {
  // 1970-01-01 was a Thursday.
  const weekday = (day + 4) % 7;
  return weekday === 0 || weekday === 6;
}

/** A time in the working hours of a day. */
export function timeOn(day: number, random: Random): number {
  return day * DAY + random.between(8 * 60, 18 * 60) * MINUTE;
}

/** The group that mostly works on a repository; the name decides. */
function groupOf({ name, seed }: Repository): Group {
  const known = GROUP_OF_WORD.find(([word]) => name.includes(word));
  return known?.[1] ?? randomNamed(`${seed} ${name} group`).pick(GROUPS);
}

/** Half of the work is done by the group of the repository. The first members of a group do more than the last. */
export function personFor(repository: Repository, random: Random): { readonly group: Group; readonly person: Person } {
  const group = random.chance(0.5) ? groupOf(repository) : random.pick(GROUPS);
  return { group, person: memberOf(group, random) };
}

function memberOf(group: Group, random: Random): Person {
  const [one, two, three, four] = membersOf(group);
  return random.pickWeighted([
    [4, one],
    [3, two],
    [2, three],
    [2, four],
  ]);
}

interface Task {
  readonly change: Change;
  readonly group: Group;
  readonly author: Person;
}

function makeTask(repository: Repository, random: Random): Task {
  const { group, person } = personFor(repository, random);
  const change = changeOf(group, random);
  const isByBot = change.paths[0] === 'package' && random.chance(0.5);
  return { change, group, author: isByBot ? UPGRADE_BOT : person };
}

/** A group makes the changes of its area three times as often as the others do. */
function changeOf(group: Group, random: Random): Change {
  const [first, ...others] = CHANGES;
  const weigh = ([frequency, change]: readonly [number, Change]): readonly [number, Change] => [
    change.group === group ? 3 * frequency : frequency,
    change,
  ];
  return random.pickWeighted([weigh(first), ...others.map(weigh)]);
}

function makeRequest(
  repository: Repository,
  random: Random,
  { number, day, room }: { readonly number: number; readonly day: number; readonly room: number },
): MadeRequest {
  const { change, group, author } = makeTask(repository, random);
  const created = timeOn(day, random);
  const isByBot = author === UPGRADE_BOT;
  const commits = makeCommits(random, { change, author, created, count: isByBot ? 1 : commitsOf(random, room) });
  const lines = commits.flatMap(({ files }) => files).reduce((sum, file) => sum + file.additions + file.deletions, 0);
  const pace = (PACE[group] * seasonOf(day) * effortOf(lines)) / 1_000_000;
  const isReviewed = random.chance(isByBot ? 0.6 : 0.85);
  const reviews = isReviewed ? makeReviews(random, { group, author, created, pace, lines }) : [];
  const fate = random.between(1, 100);
  const merged = atWork((reviews.at(-1)?.when ?? created) + waiting(random, 14 * pace), random);
  const ended = fate <= 91 ? merged : Math.max(merged, created + waiting(random, 300));
  return {
    number,
    change,
    author,
    created,
    ended: fate > 99 ? null : Math.min(ended, created + LONGEST_OPEN),
    isMerged: fate <= 91,
    commits,
    reviews: reviews.filter(({ when }) => when < created + LONGEST_OPEN),
    comments: random.between(0, 6),
  };
}

/** Most requests have few commits. */
function commitsOf(random: Random, room: number): number {
  return Math.min(room, random.between(1, random.between(1, MOST_COMMITS)));
}

/** A waiting time in milliseconds of at most so many hours: seldom long, and a quarter of them on average. */
function waiting(random: Random, mostHours: number): number {
  return Math.round((mostHours * random.between(1, 100) * random.between(1, 100) * HOUR) / 10_000);
}

/** The same time, or the next morning of a working day. */
function atWork(when: number, random: Random): number {
  const day = Math.floor(when / DAY);
  const hour = (when % DAY) / HOUR;
  const today = hour < 18 ? day : day + 1;
  const isLate = hour < 8 || hour >= 18 || isWeekend(day);
  if (!isLate) return when;
  const next = isWeekend(today) ? (isWeekend(today + 1) ? today + 2 : today + 1) : today;
  return next * DAY + random.between(8 * 60, 11 * 60) * MINUTE;
}

/** Percent of the usual waiting time: from 65 to 135, and back in the second half of a season. */
function seasonOf(day: number): number {
  const place = (day % SEASON) / SEASON;
  return 65 + 140 * Math.min(place, 1 - place);
}

/** Percent of the usual waiting time for a change of so many lines. */
function effortOf(lines: number): number {
  if (lines < 50) return 60;
  if (lines < 200) return 90;
  return lines < 500 ? 140 : 200;
}

interface Reviewed {
  readonly group: Group;
  readonly author: Person;
  readonly created: number;
  readonly pace: number;
  readonly lines: number;
}

/** Colleagues of the author's group give most reviews. Large requests need more of them. */
function makeReviews(random: Random, { group, author, created, pace, lines }: Reviewed): MadeReview[] {
  const count = random.between(1, 2) + (lines < 50 ? 0 : 1);
  const reviews: MadeReview[] = [];
  let when = created;
  while (reviews.length < count) {
    const reviewer = memberOf(random.chance(0.75) ? group : random.pick(GROUPS), random);
    if (reviewer === author) continue;
    when = atWork(when + waiting(random, (reviews.length === 0 ? 28 : 18) * pace), random);
    const isLast = reviews.length === count - 1;
    reviews.push({
      id: random.hex(16),
      reviewer,
      state: isLast ? 'APPROVED' : random.pick(['CHANGES_REQUESTED', 'COMMENTED']),
      when,
    });
  }
  return reviews;
}

/** The commits of a request. The first one is up to two days older than the request. */
function makeCommits(
  random: Random,
  {
    change,
    author,
    created,
    count,
  }: { readonly change: Change; readonly author: Person; readonly created: number; readonly count: number },
): readonly MadeCommit[] {
  const commits: MadeCommit[] = [];
  let when = created;
  for (let index = count - 1; index >= 0; index -= 1) {
    when -= 10 * MINUTE + waiting(random, author === UPGRADE_BOT ? 0 : 24);
    const title = index === 0 ? change.title : `${change.title} (${index + 1})`;
    commits.unshift(makeCommit(random, title, change, author, when));
  }
  return commits;
}

function makeCommit(random: Random, title: string, change: Change, author: Person, when: number): MadeCommit {
  const hash = random.hex(40);
  const [near = FILES[0], ...others] = FILES.filter((path) => change.paths.some((each) => path.startsWith(each)));
  const paths = new Set(
    Array.from({ length: random.between(1, 3) }, () =>
      author === UPGRADE_BOT || random.chance(0.85) ? random.pick([near, ...others]) : random.pick(FILES),
    ),
  );
  const files = [...paths].map((path) => {
    const size = random.between(1, 100);
    const additions =
      size <= 70 ? random.between(1, 20) : size <= 95 ? random.between(20, 80) : random.between(80, 400);
    // Old code goes with refactorings, so that not every deleted line is rework.
    const mostDeleted = change.title.startsWith('refactor') ? 4 * additions : Math.ceil(additions / 2);
    return { path, additions, deletions: random.between(0, mostDeleted) };
  });
  return { hash, title, author, when, files };
}
