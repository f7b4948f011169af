/** `breaking`: a client that was right before can fail. `additive`: more is possible. `neutral`: only words changed. */
export type ChangeClass = 'breaking' | 'additive' | 'neutral';

/** What a change affects: what clients send, what they receive, or both and the document itself. */
export type Side = 'request' | 'reply' | 'contract';

/** One difference between two versions of a contract. */
export interface Change {
  readonly class: ChangeClass;
  readonly side: Side;
  /** From the outside in: `POST /things > body application/json > /name`. */
  readonly place: string;
  readonly what: string;
}

/**
 * What a difference does to the set of values that are valid at a place. `widens`: values are added. `narrows`: values
 * are removed. `changes`: both, or it is unknown. `annotates`: neither.
 */
export type Effect = 'widens' | 'narrows' | 'changes' | 'annotates';

/**
 * The class of an effect. A request may be widened, because every old request stays valid. A reply may be narrowed,
 * because a client that handles the old replies handles the new ones.
 */
export function classOf(side: 'request' | 'reply', effect: Effect): ChangeClass {
  if (effect === 'annotates') return 'neutral';
  if (effect === 'changes') return 'breaking';
  return (side === 'request') === (effect === 'widens') ? 'additive' : 'breaking';
}

/** Joins the parts of a place. */
export function at(...parts: readonly string[]): string {
  return parts.filter((each) => each !== '').join(' > ');
}
