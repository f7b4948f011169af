/** Reads CDEvents (https://cdevents.dev), of any version of their types. */
import { createHash } from 'node:crypto';
import type { Violation } from '@plumbline/contract/violations';
import { storableText } from '../../../database/storable-text.js';
import { propertyOf } from '../../server/json-values.js';
import { isAddress, notAnAddress } from './clean-address.js';
import { latestTime } from './latest-time.js';

/** What an event says of a record. Several events can be about one record, in any order. */
export type PushedEvent = {
  readonly repository: string;
  /** Identifies the record among those of its kind in the repository. */
  readonly id: string;
  /** When it happened, in epoch milliseconds. */
  readonly at: number;
} & (
  | {
      readonly kind: 'deployment';
      readonly environment: string | null;
      /** What was deployed. */
      readonly artifact: string | null;
      readonly commit: string | null;
    }
  | { readonly kind: 'incident'; readonly phase: 'began' | 'resolved'; readonly description: string | null }
  | { readonly kind: 'build'; readonly phase: 'queued' | 'began' }
  | { readonly kind: 'build'; readonly phase: 'ended'; readonly status: 'success' | 'failure' | 'canceled' }
);

/** What is wrong with an event, or the event; `ignored` for a type of which no record is made. */
export type ReadEvent =
  { readonly event: PushedEvent } | { readonly violations: readonly Violation[] } | { readonly ignored: true };

const eventType = /^dev\.cdevents\.([a-z]+)\.([a-z]+)\.\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const phases = {
  'service.deployed': 'deployed',
  'service.upgraded': 'deployed',
  'service.rolledback': 'deployed',
  'incident.detected': 'began',
  'incident.reported': 'began',
  'incident.resolved': 'resolved',
  'pipelinerun.queued': 'queued',
  'pipelinerun.started': 'began',
  'pipelinerun.finished': 'ended',
} as const;
type EventName = keyof typeof phases;

const longestText = 1000;

/**
 * Reads an event.
 *
 * @param base the JSON pointer of the event in the request
 * @param repository the address that the request names; it comes before that of the event
 */
export function readCdEvent(value: unknown, base: string, repository: string | undefined, now: Date): ReadEvent {
  const reader = new EventReader(value, base);
  const type = reader.text('context', 'type');
  const [, subject = '', predicate = ''] = eventType.exec(type) ?? [];
  const name = `${subject}.${predicate}`;
  if (type !== '' && !isEventName(name)) return { ignored: true };
  const at = reader.time('context', 'timestamp', now);
  const eventId = reader.text('context', 'id');
  const source = reader.text('context', 'source');
  const subjectId = reader.text('subject', 'id');
  const address = reader.repository(repository);
  if (reader.violations.length > 0 || !isEventName(name)) return { violations: reader.violations };
  // A service is deployed many times, so that the event identifies the deployment; ids belong to their source.
  const about = { repository: address, id: boundedId(`${source}#${subject === 'service' ? eventId : subjectId}`), at };
  const content = (key: string): string | null => reader.optional('subject', 'content', key);
  const phase = phases[name];
  switch (phase) {
    case 'deployed': {
      const commit = reader.optional('customData', 'commit');
      return {
        event: {
          ...about,
          kind: 'deployment',
          environment: reader.optional('subject', 'content', 'environment', 'id'),
          artifact: content('artifactId'),
          commit: commit !== null && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit) ? commit : null,
        },
      };
    }
    case 'resolved':
      return { event: { ...about, kind: 'incident', phase, description: content('description') } };
    case 'queued':
      return { event: { ...about, kind: 'build', phase } };
    case 'ended':
      return { event: { ...about, kind: 'build', phase, status: statusOf(content('outcome')) } };
    case 'began':
      return subject === 'incident'
        ? { event: { ...about, kind: 'incident', phase, description: content('description') } }
        : { event: { ...about, kind: 'build', phase } };
  }
}

/** PostgreSQL indexes no key of more than 2.7 kB. */
function boundedId(id: string): string {
  return Buffer.byteLength(id) <= 500 ? id : createHash('sha256').update(id).digest('hex');
}

function isEventName(name: string): name is EventName {
  return Object.hasOwn(phases, name);
}

/** Without an outcome, a run has ended as it should. */
function statusOf(outcome: string | null): 'success' | 'failure' | 'canceled' {
  if (outcome === 'cancel') return 'canceled';
  return outcome === null || outcome === 'success' ? 'success' : 'failure';
}

class EventReader {
  readonly violations: Violation[] = [];
  readonly #value: unknown;
  readonly #base: string;

  constructor(value: unknown, base: string) {
    this.#value = value;
    this.#base = base;
  }

  /** A required text; '' if it is missing, which is a violation. */
  text(...keys: readonly string[]): string {
    const value = this.#at(keys);
    if (typeof value === 'string' && value.length > 0 && value.length <= longestText) return value;
    return this.#refuse(keys, 'type', `must be a text of 1 to ${longestText} characters`);
  }

  /** Epoch milliseconds. */
  time(context: string, key: string, now: Date): number {
    const text = this.text(context, key);
    const at = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
    if (text === '') return 0;
    if (Number.isNaN(at)) this.#refuse([context, key], 'format', 'must be a time, such as 2026-03-02T09:00:00Z');
    else if (at < 0) this.#refuse([context, key], 'minimum', 'must not be before 1970');
    else if (at > latestTime(now)) this.#refuse([context, key], 'maximum', 'must not be in the future');
    return at;
  }

  /** A text that is cut to a bounded length, perhaps within a pair of surrogates; null if there is none. */
  optional(...keys: readonly string[]): string | null {
    const value = this.#at(keys);
    return typeof value === 'string' && value !== '' ? storableText(value.slice(0, longestText)) : null;
  }

  repository(named: string | undefined): string {
    if (named !== undefined) {
      if (isAddress(named)) return named;
      this.violations.push({ path: '/query/repository', rule: 'format', message: notAnAddress });
      return '';
    }
    const keys = ['customData', 'repository'];
    const value = this.#at(keys);
    if (value === undefined) {
      return this.#refuse(keys, 'required', 'is required, unless the query names the repository');
    }
    const isKnown = typeof value === 'string' && value.length <= 500 && isAddress(value);
    return isKnown ? value : this.#refuse(keys, 'format', notAnAddress);
  }

  #at(keys: readonly string[]): unknown {
    return keys.reduce<unknown>((value, key) => propertyOf(value, key), this.#value);
  }

  #refuse(keys: readonly string[], rule: string, message: string): string {
    this.violations.push({ path: `${this.#base}/${keys.join('/')}`, rule, message });
    return '';
  }
}
