import { describe, expect, it } from 'vitest';
import {
  alreadyExists,
  backendFailure,
  cannotBePulled,
  commandFailed,
  isEngineFailure,
  isRuntimeError,
  notFound,
  notSupported,
  RuntimeError,
  sameFailure,
  type RuntimeFailure,
} from '../../../src/compose/runtime/errors.js';
import { failureOf } from '../../../src/compose/service/failure-replies.js';

const catalogue: readonly RuntimeFailure[] = [
  { case: 'notFound', id: 'a' },
  { case: 'alreadyExists', id: 'a' },
  { case: 'invalidState', id: 'a', expected: 'stopped', actual: 'running' },
  { case: 'timeout', id: 'a', seconds: 30 },
  { case: 'imageNotFound', reference: 'a' },
  { case: 'notSupported', operation: 'wait', conformer: 'bridge' },
  { case: 'backendFailure', message: 'a' },
  { case: 'persistenceFailure', message: 'a' },
];

describe('RuntimeError', () => {
  it('is equal to another exactly if case and fields are equal', () => {
    for (const one of catalogue) {
      for (const other of catalogue) expect(sameFailure(one, { ...other })).toBe(one === other);
    }
    expect(sameFailure(notFound('a').failure, notFound('b').failure)).toBe(false);
  });

  it('names what happened, and to which object', () => {
    const messages = catalogue.map((failure) => new RuntimeError(failure).message);
    expect(messages).toMatchInlineSnapshot(`
      [
        "'a' was not found.",
        "'a' already exists.",
        "Container 'a' is running; the operation requires it to be stopped.",
        "Timed out after 30s waiting for 'a'.",
        "Image 'a' was not found on this machine and cannot be pulled.",
        "The bridge backend does not support 'wait'.",
        "a",
        "a",
      ]
    `);
  });

  it('says why a registry did not supply an image, and hides the password of a URL', () => {
    const error = cannotBePulled('a', 'toomanyrequests: https://me:word@registry.example/a');
    expect(error.message).toBe(
      "Image 'a' was not found on this machine and cannot be pulled. toomanyrequests: https://***@registry.example/a",
    );
  });

  it('keeps paths for the user of the command, and a server removes them with the values of the environment', () => {
    const error = backendFailure('exec: "/app/missing.sh" of s3cret', undefined, ['s3cret']);
    expect(error.message).toBe('exec: "/app/missing.sh" of s3cret');
    const shown = 'exec: "<path>" of ***';
    expect(failureOf(error)).toMatchObject({ message: shown, fields: { message: shown } });
    expect(failureOf(cannotBePulled('a', 'open /etc/ca.pem: denied'))?.message).toMatch(/open <path>: denied$/);
    expect(failureOf(commandFailed('open /x'))?.message).toBe('open <path>');
  });

  it('and TerminalError are both failures of the engine', () => {
    const failed = commandFailed('The program said no.', 'why');
    expect(failed).toMatchObject({
      name: 'TerminalError',
      message: 'The program said no.',
      failure: { case: 'commandFailed', message: 'The program said no.' },
      cause: 'why',
    });
    expect([failed, backendFailure('a'), notFound('a')].map(isEngineFailure)).toEqual([true, true, false]);
    expect(isRuntimeError(failed)).toBe(false);
  });

  it('is distinguished from other errors, and each case from the others', () => {
    expect(isRuntimeError(notFound('a'))).toBe(true);
    expect(isRuntimeError(notFound('a'), 'notFound')).toBe(true);
    expect(isRuntimeError(alreadyExists('a'), 'notFound')).toBe(false);
    expect(isRuntimeError(new Error('a'))).toBe(false);
    expect(isRuntimeError(notSupported('wait', 'bridge'), 'notSupported')).toBe(true);
  });
});
