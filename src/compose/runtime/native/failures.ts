/** Converts podman's standard error to catalogue errors. */
import { missingNetwork, nameIsTaken } from '../engine/failure-text.js';
import { readStumbled } from '../engine/just-ended.js';
import {
  alreadyExists,
  cannotBePulled,
  commandFailed,
  imageNotFound,
  notFound,
  type RuntimeError,
  type TerminalError,
} from '../errors.js';

export interface Subject {
  /** A container, network or volume that should exist. */
  readonly id?: string;
  /** A name that should be free. */
  readonly newName?: string;
  readonly image?: string;
}

const imageIsUnknown = /image not known|no such image/i;
const registryRefuses =
  /did not resolve to an alias|initializing source|manifest unknown|unable to copy from source|pinging container registry/i;
const isMissing =
  /no such (container|network|volume|object|exec)|could not be found on container|no (container|volume|network) with (name|id)|network not found|unable to find network/i;

const initIsMissing = /container-init binary not found|catatonit.*no such file/i;
const INIT_IS_MISSING =
  "'init: true' needs catatonit, which Podman cannot find. Install it (Debian: apt-get install catatonit), " +
  "or remove 'init'.";

export function podmanFailure(
  stderr: string,
  subject: Subject,
  secrets: readonly string[],
): RuntimeError | TerminalError {
  const text = podmanReason(stderr);
  const cause = new Error(text);
  if (readStumbled(text)) return commandFailed(text, cause, secrets);
  if (subject.image !== undefined && imageIsUnknown.test(text)) return imageNotFound(subject.image);
  if (subject.image !== undefined && registryRefuses.test(text)) return cannotBePulled(subject.image, text, secrets);
  const network = missingNetwork(text);
  if (network !== undefined) return notFound(network);
  if (subject.newName !== undefined && nameIsTaken(text, subject.newName)) return alreadyExists(subject.newName);
  if (subject.id !== undefined && isMissing.test(text)) return notFound(subject.id);
  if (initIsMissing.test(text)) return commandFailed(INIT_IS_MISSING, cause);
  return commandFailed(text || 'Podman failed without an error message.', cause, secrets);
}

/** The reason in podman's output. It ends with `Error: ...`, which can have several lines, after warnings and log lines. */
export function podmanReason(output: string): string {
  const all = output.split('\n').map((line) => line.trim());
  const lines = all.filter((line) => line !== '' && !/^time="/.test(line));
  const start = lines.findLastIndex((line) => /^error:/i.test(line));
  const reason = start === -1 ? lines : lines.slice(start);
  return reason.join(' ').replace(/^error:\s*/i, '') || output.trim();
}
