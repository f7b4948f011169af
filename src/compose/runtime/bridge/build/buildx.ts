/** Builds an image with BuildKit: runs `docker-buildx bake` on the engine of this backend. */
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { backendFailure, cannotBePulled, imageNotFound, notSupported, type RuntimeError } from '../../errors.js';
import { secretTexts, withSecretFiles } from '../../build-secrets.js';
import { objectOf, parseJson, textOf } from '../../json.js';
import { mergedLines } from '../../merged-lines.js';
import { startProgram } from '../../program.js';
import type { BuildProgress } from '../../records.js';
import type { BuildSpec } from '../../spec.js';
import type { EngineAddress } from '../address.js';
import { secretsOf } from '../client.js';
import { hereDocument } from './dockerfile-syntax.js';
import { bakeTarget, entitlementsOf, type BakeFile } from './bake.js';
import { engineVariables } from './engine-variables.js';
import { rawProgress, type RawProgress } from './raw-progress.js';

export interface Buildx {
  /** The path of the program. */
  readonly program: string;
  readonly address: EngineAddress;
  readonly environment: NodeJS.ProcessEnv;
  /** Values removed from error texts. */
  readonly secrets: readonly string[];
}

/** The name of the only target. */
const TARGET = 'image';

/** The builder that is the engine itself. */
const ENGINE = 'default';

/**
 * Temporary files are removed, also after an abort.
 *
 * @throws RuntimeError.imageNotFound for a missing Dockerfile or base image, backendFailure when the build fails
 */
export async function* buildWithBuildx(
  buildx: Buildx,
  spec: BuildSpec,
  signal: AbortSignal | undefined,
): AsyncGenerator<BuildProgress, void> {
  await requireDockerfile(spec);
  const directory = await mkdtemp(join(tmpdir(), 'plumbline-build-'));
  try {
    yield* run(buildx, spec, await withSecretFiles(spec, directory), directory, signal);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function requireDockerfile({
  context,
  dockerfile = 'Dockerfile',
  dockerfileInline,
  tags,
}: BuildSpec): Promise<void> {
  if (dockerfileInline !== undefined) return;
  await access(resolve(context, dockerfile)).catch(() => {
    throw imageNotFound(tags[0] ?? dockerfile);
  });
}

async function* run(
  buildx: Buildx,
  spec: BuildSpec,
  inFiles: BuildSpec,
  directory: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<BuildProgress, void> {
  const metadata = join(directory, 'metadata.json');
  const environment = {
    ...(await engineVariables(buildx.address, buildx.environment, directory)),
    // The paths are those of the user's compose file: nothing has to be confirmed.
    BUILDX_BAKE_ENTITLEMENTS_FS: '0',
  };
  const builder = spec.builder ?? (buildx.environment.BUILDX_BUILDER || ENGINE);
  const args = [...programArguments(spec, builder), '--metadata-file', metadata, TARGET];
  const program = startProgram(buildx.program, args, { environment, signal, cannotRun });
  try {
    program.stdin.end(JSON.stringify(bakeFile(inFiles)));
    const progress = rawProgress();
    for await (const line of mergedLines(program)) {
      const lines = progress.push(line);
      // The result of a check is text between the lines of the progress.
      const shown = spec.check === true ? progress.takeText().filter((text) => text !== TARGET) : lines;
      for (const text of shown) yield { type: 'log', line: text };
    }
    if (spec.check !== true) for (const text of progress.rest()) yield { type: 'log', line: text };
    if ((await program.exit) !== 0) throw await failureOf(progress, spec, buildx);
    yield { type: 'done', imageId: await imageIdIn(metadata) };
  } finally {
    program.end();
    await program.exit.catch(() => undefined);
  }
}

function programArguments(spec: BuildSpec, builder: string): string[] {
  const allowed = new Set(entitlementsOf(spec));
  if (spec.network === 'host') allowed.add('network.host');
  return [
    'bake',
    '--file=-',
    '--progress=rawjson',
    `--builder=${builder}`,
    ...[...allowed].map((entitlement) => `--allow=${entitlement}`),
  ];
}

function bakeFile(spec: BuildSpec): BakeFile {
  return { group: { default: { targets: [TARGET] } }, target: { [TARGET]: bakeTarget(spec) } };
}

/** Absent after a check. */
async function imageIdIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const { [TARGET]: target } = objectOf(parseJson(text));
  return textOf(objectOf(target)['containerimage.digest']).replace(/^sha256:/, '');
}

/** What the BuildKit of Docker before 23 says about features that it does not have. */
const TOO_OLD: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/frontend\.contexts/, 'build.additional_contexts'],
  [/frontend\.(?:lint|outline|targets)/, 'build --check'],
];

async function failureOf(progress: RawProgress, spec: BuildSpec, { secrets }: Buildx): Promise<RuntimeError> {
  // BuildKit quotes the Dockerfile before its error.
  const start = progress.reasons.findIndex((line) => line.startsWith('ERROR: '));
  if (spec.check === true && start === -1) return backendFailure('The check found problems in the Dockerfile.');
  const reason = progress.reasons
    .slice(Math.max(start, 0))
    .filter((line) => line !== '')
    .join(' ')
    .replace(/^ERROR: /, '')
    .replace(/^(?:failed to (?:build|solve)(?: with frontend \S+)?: |rpc error: code = \w+ desc = )+/, '')
    // Otherwise the path of the shell would be removed with all others.
    .replace(/(\[|")\/bin\/sh -c /, '$1');
  const { missingImage } = progress;
  if (missingImage !== undefined) {
    return cannotBePulled(missingImage, reason, secrets);
  }
  const old = TOO_OLD.find(([pattern]) => pattern.test(reason))?.[1];
  if (old !== undefined) return notSupported(old, 'bridge');
  const known = [...secrets, ...secretsOf(spec.buildArguments), ...secretTexts(spec)];
  const hint = /unknown instruction/.test(reason) && (await hasHereDocument(spec)) ? HERE_DOCUMENT : '';
  return backendFailure(`Build failed: ${reason}${hint}`, undefined, known);
}

const HERE_DOCUMENT = ' The Dockerfile has a here-document, which needs the BuildKit of Docker 23 or newer.';

async function hasHereDocument({ context, dockerfile = 'Dockerfile', dockerfileInline }: BuildSpec): Promise<boolean> {
  const text = dockerfileInline ?? (await readFile(resolve(context, dockerfile), 'utf8').catch(() => ''));
  return hereDocument.test(text);
}

function cannotRun(error: NodeJS.ErrnoException): Error {
  return backendFailure(`The plug-in docker-buildx cannot be run (${error.code ?? 'unknown'}).`, error);
}
