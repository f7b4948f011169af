/** Converts podman's standard error to catalogue errors. */
import { missingNetwork, nameIsTaken } from '../engine/failure-text.js';
import {
  alreadyExists,
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

const imageIsMissing =
  /image not known|no such image|did not resolve to an alias|initializing source|manifest unknown|unable to copy from source|pinging container registry/i;
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
  const text = errorLines(stderr);
  const cause = new Error(text);
  if (subject.image !== undefined && imageIsMissing.test(text)) return imageNotFound(subject.image);
  const network = missingNetwork(text);
  if (network !== undefined) return notFound(network);
  if (subject.newName !== undefined && nameIsTaken(text, subject.newName)) return alreadyExists(subject.newName);
  if (subject.id !== undefined && isMissing.test(text)) return notFound(subject.id);
  if (initIsMissing.test(text)) return commandFailed(INIT_IS_MISSING, cause);
  return commandFailed(text || 'Podman failed without an error message.', cause, secrets);
}

/** Podman ends with `Error: ...`. The warnings and log lines before it are not the reason. */
function errorLines(stderr: string): string {
  const lines = stderr.trim().split('\n');
  const at = lines.findLastIndex((line) => /^error:/i.test(line));
  if (at !== -1)
    return lines
      .slice(at)
      .join(' ')
      .replace(/^error:\s*/i, '');
  return lines.filter((line) => !/^time="/.test(line)).join(' ') || stderr.trim();
}
