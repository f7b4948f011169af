/** Makes the request of an operation from flags, and checks it with the schemas of the contract before it is sent. */
import type { OperationCommand, OperationFlag } from '@plumbline/contract/contract-types';
import { violationsOfFaults } from '@plumbline/contract/violations';
import { parseJson, readInput } from '../read-input.js';
import { UsageError } from '../usage-error.js';

/** Values of flags, by the attribute names of the options. */
export type FlagValues = Readonly<Record<string, unknown>>;

/** A request in the form that the functions of the SDK take. */
export interface OperationRequest {
  readonly params?: object;
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
}

/**
 * Makes the request.
 *
 * @param values of the flags, by the names of the contract
 * @throws UsageError naming all values that the contract does not allow
 */
export function requestOf(
  command: OperationCommand,
  values: ReadonlyMap<OperationFlag, unknown>,
  given: unknown,
): OperationRequest {
  const part = (place: OperationFlag['place']): Record<string, unknown> =>
    Object.fromEntries(
      [...values].filter(([flag]) => flag.place === place).map(([flag, value]) => [flag.property, value]),
    );
  const body = bodyOf(command, part('body'), given);
  const parts = { params: part('params'), query: part('query'), headers: part('headers'), body };
  check(command, parts);
  const [key] = Object.values(part('idempotencyKey'));
  return {
    ...(isEmpty(parts.params) ? {} : { params: parts.params }),
    ...(isEmpty(parts.query) ? {} : { query: parts.query }),
    ...(isEmpty(parts.headers)
      ? {}
      : { headers: Object.fromEntries(Object.entries(parts.headers).map(([name, value]) => [name, String(value)])) }),
    ...(body === undefined ? {} : { body }),
    ...(typeof key === 'string' ? { idempotencyKey: key } : {}),
  };
}

/** Reads the body of `--body`. @throws UsageError when it cannot be read, or is not JSON */
export async function readBody({ body }: OperationCommand, file: string): Promise<unknown> {
  const content = await readInput(file, '--body');
  if (body?.isText === true) return content;
  return parseJson(content, '--body');
}

/**
 * The value of a flag.
 *
 * @throws UsageError for a file that cannot be read, and for text that is not JSON
 */
export async function valueOfFlag({ name, kind, isSecret }: OperationFlag, given: unknown): Promise<unknown> {
  if (isSecret) return (await readInput(String(given), `--${name}`)).replace(/\r?\n$/, '');
  // What is not of the type stays text, so that the schema names the fault.
  if (kind === 'number') return /^-?\d+(\.\d+)?$/.test(String(given)) ? Number(given) : given;
  if (kind === 'boolean') return given === true || given === 'true' ? true : given === 'false' ? false : given;
  return kind === 'json' ? parseJson(String(given), `--${name}`) : given;
}

/** The body of `--body`, with the properties of flags. */
function bodyOf({ body, name }: OperationCommand, properties: object, given: unknown): unknown {
  if (body === null) return undefined;
  if (isEmpty(properties)) return given ?? (body.required && !body.isText ? {} : given);
  if (given === undefined) return properties;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new UsageError(`--body of ${name} must be an object where other flags set properties`);
  }
  return { ...given, ...properties };
}

type Parts = Readonly<Record<'params' | 'query' | 'headers' | 'body', unknown>>;

function check({ validators, flags, body }: OperationCommand, parts: Parts): void {
  if (body?.required === true && parts.body === undefined) throw new UsageError('--body is required');
  const faults = (['params', 'query', 'headers', 'body'] as const).flatMap((place) => {
    const validate = validators[place];
    // Validators fill in defaults, and convert texts: what is sent stays as it was given.
    if (validate === null || parts[place] === undefined || validate(structuredClone(parts[place]))) return [];
    return violationsOfFaults(validate, '').map(({ path, message }) => `${flagAt(flags, place, path)} ${message}`);
  });
  if (faults.length > 0) throw new UsageError([...new Set(faults)].join('\n'));
}

/** The flag of a JSON pointer, else the pointer into the body. */
function flagAt(flags: readonly OperationFlag[], place: keyof Parts, path: string): string {
  const [, property, ...below] = path.split('/');
  const flag = flags.find((each) => each.place === place && each.property === property);
  if (flag !== undefined) return `--${flag.name}${below.length === 0 ? '' : ` at /${below.join('/')}`}`;
  return path === '' ? '--body' : `--body at ${path}`;
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
