/** Patterns of an organization for things that have several facts: `eu-*`, `branch:main`, `!title:*drill*`. */
import { createHash } from 'node:crypto';
import { linear, type Matcher } from './patterns.js';

/** The sign before a pattern that excepts what others include. */
export const EXCEPT = '!';

/** What is known about a thing, by the names of the facts. A fact can have several values, such as labels. */
export type Facts<Name extends string> = Readonly<Record<Name, readonly (string | null)[]>>;

interface FactPattern<Name extends string> {
  readonly fact: Name;
  readonly matches: Matcher;
  readonly excepts: boolean;
}

/** Patterns, of which one that includes has to match, and none that excepts. */
export class FactPatterns<Name extends string> {
  /** Differs if the decision may differ. */
  readonly fingerprint: string;
  readonly #patterns: readonly FactPattern<Name>[];

  /**
   * @param patterns values in any case, in which `*` stands for any text; before it the name of a fact and a colon, and
   * before both `!` if the pattern excepts
   * @param names of the facts
   * @param usual the fact of patterns that name none
   */
  constructor(patterns: readonly string[], names: readonly Name[], usual: Name) {
    this.fingerprint = createHash('sha256').update(JSON.stringify(patterns)).digest('hex');
    this.#patterns = patterns.map((pattern) => {
      const excepts = pattern.startsWith(EXCEPT);
      const text = excepts ? pattern.slice(EXCEPT.length) : pattern;
      const fact = names.find((name) => text.startsWith(`${name}:`));
      const glob = fact === undefined ? text : text.slice(fact.length + 1).trimStart();
      return { fact: fact ?? usual, matches: linear.label(glob), excepts };
    });
  }

  /** Whether a pattern is about this fact. */
  dependsOn(name: Name): boolean {
    return this.#patterns.some(({ fact }) => fact === name);
  }

  /** Whether a pattern includes things by this fact. */
  includesBy(name: Name): boolean {
    return this.#patterns.some(({ fact, excepts }) => fact === name && !excepts);
  }

  includes(facts: Facts<Name>): boolean {
    return this.#matches(facts, false) && !this.excepts(facts);
  }

  excepts(facts: Facts<Name>): boolean {
    return this.#matches(facts, true);
  }

  #matches(facts: Facts<Name>, isException: boolean): boolean {
    return this.#patterns.some(
      ({ fact, matches, excepts }) =>
        excepts === isException && facts[fact].some((value) => value !== null && matches(value)),
    );
  }
}
