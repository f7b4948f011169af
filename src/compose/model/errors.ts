import { pathText } from './node.js';
import type { Path, Place } from './node.js';

/** The fields of a case that has none. */
type NoFields = Readonly<Record<string, never>>;

/**
 * Every way in which compose files can fail to become a project: the family, the case, its fields and its message.
 * The families that the product's documents name keep their cases and, where one is given, their exact message;
 * the rest closes what they leave open. No field may hold a value that interpolation produced.
 */
export const COMPOSE_FAILURES = {
  ComposeError: {
    imageNotFound: (f: { service: string }) => `Service ${f.service} must define either 'image' or 'build'.`,
    invalidProjectName: (f: { name: string }) =>
      f.name === ''
        ? 'No project name: give --project-name, COMPOSE_PROJECT_NAME or a name: in the compose file.'
        : `Project name '${f.name}' is not valid: lower case letters, digits, '-' and '_' only, starting with a letter or digit.`,
    externalVolumeNotFound: (f: { volume: string }) =>
      `External volume '${f.volume}' was not found. Create it with 'container volume create ${f.volume}' before running compose.`,
    invalidShellTokenization: (f: { input: string; reason: string }) =>
      `Cannot split '${f.input}' into words: ${f.reason}. The list form needs no quoting.`,
  },
  YamlError: {
    composeFileNotFound: (f: { path: string }) => `No compose file at '${f.path}'.`,
    malformed: (f: { reason: string }) => `Not valid YAML: ${f.reason}`,
    limitExceeded: (f: { limit: string; maximum: number }) =>
      `The file exceeds the limit of ${String(f.maximum)} ${f.limit}.`,
    unreadable: (f: { path: string; reason: string }) => `Cannot read '${f.path}': ${f.reason}.`,
  },
  IncludeError: {
    cyclicInclude: (f: { path: string }) => `Cyclic include detected: '${f.path}' is already being loaded.`,
    fileNotFound: (f: { path: string }) => `Included compose file not found: '${f.path}'`,
  },
  ExtendsError: {
    cyclicExtends: (f: { chain: readonly string[] }) =>
      `Services extend each other in a circle: ${f.chain.join(' -> ')}.`,
    fileNotFound: (f: { service: string; path: string }) =>
      `Service ${f.service} extends a file that does not exist: '${f.path}'.`,
    serviceNotFound: (f: { service: string; extended: string }) =>
      `Service ${f.service} extends '${f.extended}', which is not defined there.`,
  },
  ComposeMemoryParseError: {
    empty: (_: NoFields) => 'A memory quantity is empty.',
    invalid: (f: { input: string }) =>
      `'${f.input}' is not a memory quantity: a number with one of the suffixes b, k, m, g, t, Ki, Mi, Gi, Ti, or none for bytes.`,
    negative: (f: { input: string }) => `'${f.input}' is negative; a memory quantity cannot be.`,
    overflow: (f: { input: string }) => `'${f.input}' is more bytes than an unsigned 64-bit integer holds.`,
  },
  InterpolationError: {
    invalidTemplate: (f: { template: string }) =>
      `Invalid variable expression in '${f.template}'. Write $$ for a literal dollar sign.`,
    requiredVariable: (f: { variable: string; reason: string }) =>
      `Required variable ${f.variable} is missing a value${f.reason === '' ? '' : `: ${f.reason}`}`,
    nestedTooDeeply: (f: { maximum: number }) =>
      `A variable expression nests more than ${String(f.maximum)} levels deep.`,
  },
  EnvFileError: {
    notFound: (f: { path: string }) => `Environment file '${f.path}' was not found.`,
    malformed: (f: { reason: string }) => `Not a valid environment file: ${f.reason}.`,
  },
  ComposeValidationError: {
    unknownKey: (f: { path: Path; key: string }) =>
      f.path.length === 0 ? `Unknown key '${f.key}'.` : `Unknown key '${f.key}' in ${pathText(f.path)}.`,
    missingKey: (f: { path: Path; key: string }) => `${pathText(f.path)} needs '${f.key}'.`,
    invalidValue: (f: { path: Path; expected: string }) => `${pathText(f.path)} must be ${f.expected}.`,
    cannotMerge: (f: { path: Path }) =>
      `${pathText(f.path)} is of another kind than in the file before; use !override.`,
    undefinedReference: (f: { path: Path; kind: string; name: string }) =>
      `${pathText(f.path)} refers to ${f.kind} '${f.name}', which is not defined.`,
    disabledReference: (f: { path: Path; service: string }) =>
      `${pathText(f.path)} needs service '${f.service}', which no active profile enables.`,
    conflict: (f: { path: Path; reason: string }) => `${pathText(f.path)}: ${f.reason}.`,
    circularDependency: (f: { chain: readonly string[] }) =>
      `Services depend on each other in a circle: ${f.chain.join(' -> ')}.`,
    emptyProject: (_: NoFields) => 'The compose files are empty.',
    serviceNotFound: (f: { service: string }) => `No service '${f.service}' in the project.`,
    unsupported: (f: { path: Path; reason: string }) => `${pathText(f.path)} is not supported: ${f.reason}.`,
    pathOutsideProject: (f: { path: string }) => `'${f.path}' lies outside the project directory.`,
  },
} as const;

type Catalogue = typeof COMPOSE_FAILURES;
export type FailureFamily = keyof Catalogue;
export type FailureCase<F extends FailureFamily> = keyof Catalogue[F] & string;
type Message<F extends FailureFamily, C extends FailureCase<F>> = Catalogue[F][C];
export type FailureFields<F extends FailureFamily, C extends FailureCase<F>> =
  Message<F, C> extends (fields: infer Fields) => string ? Fields & Readonly<Record<string, unknown>> : never;

/** A compose project that cannot be loaded. `error` and `case` name the catalogue entry, `location` the place. */
export class ComposeFailure extends Error {
  override readonly name = 'ComposeFailure';
  readonly error: FailureFamily;
  readonly case: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly location: Place | undefined;

  constructor(
    error: FailureFamily,
    failureCase: string,
    fields: Readonly<Record<string, unknown>>,
    message: string,
    location?: Place,
  ) {
    super(message);
    this.error = error;
    this.case = failureCase;
    this.fields = fields;
    this.location = location;
  }
}

/**
 * Makes the failure of one catalogue entry.
 *
 * @param location where in which file, when it is known
 */
export function failure<F extends FailureFamily, C extends FailureCase<F>>(
  family: F,
  failureCase: C,
  fields: FailureFields<F, C>,
  location?: Place,
): ComposeFailure {
  // The case's own field type was demanded by the signature; inside, the entry is only known as some message function.
  const message = COMPOSE_FAILURES[family][failureCase] as (fields: FailureFields<F, C>) => string;
  return new ComposeFailure(family, failureCase, fields, message(fields), location);
}

/** One line for a terminal: `file:line:column: message`. */
export function describeFailure(problem: ComposeFailure): string {
  const { location } = problem;
  if (location === undefined) return problem.message;
  return `${location.file}:${String(location.line)}:${String(location.column)}: ${problem.message}`;
}
