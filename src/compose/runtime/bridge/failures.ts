/** Converts error replies of the Engine API (Docker or Podman) to catalogue errors. */
import { missingNetwork, nameIsTaken } from '../engine/failure-text.js';
import { readStumbled } from '../engine/just-ended.js';
import {
  alreadyExists,
  backendFailure,
  cannotBePulled,
  imageNotFound,
  isRuntimeError,
  notFound,
  RuntimeError,
} from '../errors.js';
import { objectOf, textOf } from '../json.js';
import { tlsFailure } from './tls-failures.js';

/** The subject of a call, so that its error can name it as the caller did. */
export interface Subject {
  /** A container, network or volume that should exist. */
  readonly id?: string;
  /** A name that should be free. */
  readonly newName?: string;
  readonly image?: string;
  /** The image being pulled. Any registry failure means that it is unavailable. */
  readonly pulled?: string;
}

const unreachable = new Set(['ECONNREFUSED', 'ENOENT', 'EACCES', 'EPERM', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH']);
const interrupted = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Podman returns 500 where Docker returns 404 and 409, so the text decides when the status does not. */
const imageIsMissing = /no such image|image not known|failed to find image|manifest unknown|pull access denied/i;
const isMissing = /no such (container|network|volume|exec)|(network|volume) .*not found|unable to find network/i;

/** Docker's replies to calls in progress while it shuts down. */
const isStopping = /transport is closing|shutting down|context canceled|: unavailable/i;

export function runtimeErrorOf(error: unknown, subject: Subject, secrets: readonly string[]): RuntimeError {
  if (error instanceof RuntimeError) return error;
  const facts = objectOf(error);
  const code = textOf(facts.code);
  if (unreachable.has(code)) {
    return backendFailure(`The container engine does not respond (${code}). Is it running?`, error);
  }
  const tls = tlsFailure(error);
  if (tls !== undefined) return backendFailure(tls, error);
  if (interrupted.has(code)) return backendFailure(`The container engine closed the connection (${code}).`, error);

  const text = engineText(error);
  const status = typeof facts.statusCode === 'number' ? facts.statusCode : undefined;
  if (subject.pulled !== undefined && status !== undefined) {
    return cannotBePulled(subject.pulled, text, secrets);
  }
  if (readStumbled(text)) return backendFailure(text, error, secrets);
  if (subject.image !== undefined && (imageIsMissing.test(text) || (status === 404 && subject.id === undefined))) {
    return imageNotFound(subject.image);
  }
  const network = missingNetwork(text);
  if (network !== undefined) return notFound(network);
  if (subject.newName !== undefined && nameIsTaken(text, subject.newName)) return alreadyExists(subject.newName);
  if (subject.id !== undefined && (status === 404 || isMissing.test(text))) return notFound(subject.id);
  if (isStopping.test(text)) return backendFailure(`The container engine is shutting down (${text}).`, error, secrets);
  return backendFailure(text || `The container engine failed (HTTP ${status ?? 'unknown'}).`, error, secrets);
}

/** Whether the failure means that the engine is gone or restarting. */
export function isAway(error: unknown): boolean {
  if (!isRuntimeError(error, 'backendFailure')) return false;
  const code = textOf(objectOf(error.cause).code);
  return unreachable.has(code) || interrupted.has(code) || isStopping.test(engineText(error.cause));
}

/** The engine's message. */
function engineText(error: unknown): string {
  const answer = objectOf(objectOf(error).json);
  const own = textOf(answer.message) || textOf(answer.cause);
  if (own !== '') return own;
  return (error instanceof Error ? error.message : String(error)).trim();
}
