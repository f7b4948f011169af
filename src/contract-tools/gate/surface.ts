import { loadDocument } from '../load-document.js';
import { UsageError } from '../usage-error.js';
import { unroutedLabel } from './check-reply.js';
import { readDocument, type Contract, type DocumentedReply } from './contract.js';
import type { Seen, Unit } from './observations.js';

/** The name of the only surface of `plumbline gate` in observations and exceptions. */
export const surfaceName = 'api';

/** Something with a contract: what that documents, and what the tests have seen of it. */
export interface Surface {
  readonly name: string;
  readonly units: readonly Unit[];
  readonly seen: Seen;
}

/**
 * Reads the contract of that surface.
 *
 * @throws DocumentError; UsageError when it has no operation, since every server would pass
 */
export function loadContract(path: string): Contract {
  const contract = readDocument(surfaceName, loadDocument(path));
  if (contract.operations.length === 0) throw new UsageError(`${path} documents no operation.`);
  return contract;
}

/** Everything that one API documents. */
export function unitsOf(contract: Contract): Unit[] {
  const operations = contract.operations.flatMap(({ id, replies }) => unitsOfReplies(id, replies));
  return [...operations, ...unitsOfReplies(unroutedLabel, contract.unrouted)];
}

function unitsOfReplies(label: string, replies: ReadonlyMap<string, DocumentedReply>): Unit[] {
  return [...replies].flatMap(([status, { bodies, headers }]) => {
    const units = [...bodies].flatMap(([mediaType, { problemTypes }]): Unit[] =>
      problemTypes.length === 0 ? [[mediaType]] : problemTypes.map((type) => [mediaType, type]),
    );
    const ofHeaders = headers.map(({ name }): Unit => [`header ${name}`]);
    return [...(units.length === 0 ? [['no body']] : units), ...ofHeaders].map((unit) => [label, status, ...unit]);
  });
}
