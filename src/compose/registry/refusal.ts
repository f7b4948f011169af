import { ReplyTooLongError, UnreachableError } from '@plumbline/contract/outbound/outbound-fetch';
import { objectOf, objectsOf, parseJson, textOf } from '../runtime/json.js';
import { RegistryError } from './errors.js';
import { imageNameText, type ImageName } from './image-name.js';

const LONGEST_MESSAGE = 300;

/** The error for a reply that was not expected. */
export async function refusal(name: ImageName, reply: Response, wasAuthorized: boolean): Promise<RegistryError> {
  const { registry } = name;
  switch (reply.status) {
    case 401:
      return new RegistryError(
        'unauthorized',
        wasAuthorized
          ? `${registry} refuses the credentials of this user. Run 'docker login ${registry}'.`
          : `${registry} asks for credentials, and there are none. Run 'docker login ${registry}'.`,
      );
    case 403:
      return new RegistryError('forbidden', `${registry} does not allow this user to use '${name.repository}'.`);
    case 404:
      return new RegistryError('notFound', `${imageNameText(name)} does not exist.`);
    case 429:
      return new RegistryError('rateLimited', `${registry} limits the number of requests. ${retry(reply)}`);
    default:
      return new RegistryError(
        reply.status < 500 ? 'refused' : 'failed',
        `${registry} answered with status ${reply.status}${await message(reply)}`,
      );
  }
}

/** The error for a 401 that names no scheme which is known here. */
export function notUnderstood({ registry }: ImageName, schemes: readonly string[]): RegistryError {
  const asked = schemes.length === 0 ? 'without saying how' : `in a way that is not supported (${schemes.join(', ')})`;
  return new RegistryError(
    'unauthorized',
    `${registry} asks for credentials ${asked}. Supported are Basic, and Bearer with a realm.`,
  );
}

/** @returns the error for a reply that was not read to its end; undefined for other errors */
export function tooLong(host: string, maxBytes: number, error: unknown): RegistryError | undefined {
  if (!(error instanceof UnreachableError && error.cause instanceof ReplyTooLongError)) return undefined;
  const message = `${host} sent a reply of more than ${maxBytes / 1024 / 1024} MiB.`;
  return new RegistryError('invalidReply', message, { cause: error.cause });
}

function retry(reply: Response): string {
  const seconds = reply.headers.get('retry-after') ?? '';
  return /^[0-9]+$/.test(seconds) ? `Try again in ${seconds} s.` : 'Try again later, or run docker login.';
}

/** Registries send a list of errors. Control characters could change what the terminal shows. */
async function message(reply: Response): Promise<string> {
  const [first = {}] = objectsOf(objectOf(parseJson(await reply.text())).errors);
  const text = [textOf(first.code), textOf(first.message)].filter((part) => part !== '').join(': ');
  const shown = text.replace(/[\p{Cc}\p{Cf}]/gu, ' ').slice(0, LONGEST_MESSAGE);
  return shown === '' ? '.' : `: ${shown}`;
}
