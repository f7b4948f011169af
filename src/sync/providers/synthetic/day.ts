/**
 * Generates one day of a synthetic repository. A day depends only on the seed, the repository's name, the density and
 * the date. So overlapping syncs generate the same records, and any day can be generated without the previous ones.
 */
import { randomNamed } from './random.js';
import type { Random } from './random.js';
import type { Change, Person } from './vocabulary.js';
import { CHANGES, FILES, PEOPLE } from './vocabulary.js';

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
      yield {
        commit: makeCommit(random, random.pickWeighted(CHANGES).title, random.pick(PEOPLE), timeOn(day, random)),
      };
      made += 1;
      continue;
    }
    const request = makeRequest(random, number, day, Math.min(random.between(1, MOST_COMMITS), total - made));
    number += 1;
    made += request.commits.length;
    yield { request };
  }
}

function commitsOn({ commitsPerDay, isEven }: Repository, day: number, random: Random): number {
  if (isEven) return commitsPerDay;
  // 1970-01-01 was a Thursday.
  const weekday = (day + 4) % 7;
  const mean = commitsPerDay * (weekday === 0 || weekday === 6 ? WEEKEND_DENSITY : 1);
  return Math.round((mean * random.between(50, 150)) / 100);
}

function timeOn(day: number, random: Random): number {
  return day * DAY + random.between(8 * 60, 18 * 60) * MINUTE;
}

function makeRequest(random: Random, number: number, day: number, commits: number): MadeRequest {
  const change = random.pickWeighted(CHANGES);
  const author = random.pick(PEOPLE);
  const created = timeOn(day, random);
  const isReviewed = random.chance(0.8);
  const firstReview = created + random.between(1, 48) * HOUR;
  const reviews = isReviewed ? makeReviews(random, author, firstReview) : [];
  const fate = random.between(1, 100);
  const lastReview = reviews.at(-1)?.when ?? created;
  const ended = fate > 90 ? null : lastReview + random.between(1, 120) * HOUR;
  return {
    number,
    change,
    author,
    created,
    ended,
    isMerged: fate <= 78,
    commits: Array.from({ length: commits }, (_, index) =>
      makeCommit(
        random,
        index === 0 ? change.title : `${change.title} (${index + 1})`,
        author,
        created - (commits - index) * 20 * MINUTE,
      ),
    ),
    reviews,
    comments: random.between(0, 6),
  };
}

function makeReviews(random: Random, author: Person, first: number): MadeReview[] {
  const count = random.between(1, 3);
  return Array.from({ length: count }, (_, index): MadeReview => {
    const reviewer = random.pick(PEOPLE);
    const isLast = index === count - 1;
    return {
      id: random.hex(16),
      reviewer: reviewer === author ? PEOPLE[0] : reviewer,
      state: isLast ? 'APPROVED' : random.pick(['CHANGES_REQUESTED', 'COMMENTED']),
      when: first + index * random.between(1, 8) * HOUR,
    };
  });
}

function makeCommit(random: Random, title: string, author: Person, when: number): MadeCommit {
  const hash = random.hex(40);
  const paths = new Set(Array.from({ length: random.between(1, 5) }, () => random.pick(FILES)));
  const files = [...paths].map((path) => {
    const size = random.between(1, 100);
    const additions =
      size <= 80 ? random.between(1, 50) : size <= 95 ? random.between(50, 200) : random.between(200, 1000);
    return { path, additions, deletions: random.between(0, additions) };
  });
  return { hash, title, author, when, files };
}
