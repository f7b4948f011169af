/** `publish`: the files of a project as an artifact, in a registry or in a folder. */
import path from 'node:path';
import { Option, type Command } from 'commander';
import { lookupIn } from '../../model/dotenv/environment.js';
import type { Lookup } from '../../model/interpolation/template.js';
import { STANDARD_INPUT } from '../../model/loader/find.js';
import { localFiles } from '../../model/loader/files.js';
import { interpolationVariables, loadProject, type LoadOptions } from '../../model/loader/load.js';
import type { Project } from '../../model/project/project.js';
import { renderModel } from '../../model/project/render.js';
import { pushProject } from '../../orchestrator/image-commands.js';
import { publishedFiles, type PublishedFiles } from '../../publication/layers.js';
import {
  bindMounts,
  literalContents,
  onlyBuilt,
  secretLines,
  variableNames,
  variablesOf,
} from '../../publication/refusals.js';
import { composeArtifact, composeFileLayer, type OciVersion } from '../../registry/compose-artifact.js';
import type { Content } from '../../registry/descriptor.js';
import { RegistryError } from '../../registry/errors.js';
import { imageNameText, parseImageName, type ImageName } from '../../registry/image-name.js';
import { writeLayout } from '../../registry/layout.js';
import { pushArtifact } from '../../registry/push-artifact.js';
import { openRegistry } from '../../registry/registry.js';
import { define } from '../command.js';
import { UsageError } from '../failures.js';
import type { Io } from '../io.js';
import { imagesOnly, withPinnedImages } from '../pinned-images.js';
import { questions, type Ask } from '../questions.js';
import type { Session } from '../session.js';
import { printable } from '../text.js';

interface PublishFlags {
  readonly ociVersion?: OciVersion;
  readonly ociLayout?: string;
  readonly resolveImageDigests?: boolean;
  readonly withEnv?: boolean;
  readonly yes?: boolean;
}

export function publishCommand(compose: Command, io: Io): void {
  define<PublishFlags>(compose, io, {
    usage: 'publish <name>',
    description: 'publish the compose files in a registry, as docker compose does; prints the name with the digest',
    remote: 'here',
    options: (command) =>
      command
        .addOption(
          new Option('--oci-version <version>', 'version of the OCI specification (default: what is accepted)').choices(
            ['1.0', '1.1'],
          ),
        )
        .option('--oci-layout <directory>', 'write an OCI image layout instead of using the registry')
        .option('--resolve-image-digests', 'also publish an override file with the digests of the images')
        .option('--with-env', 'also publish values of variables and env_file')
        .option('-y, --yes', 'answer all questions with yes'),
    examples: [
      'compose publish registry.example/team/shop:1.0',
      'compose publish --with-env --oci-layout ./artifact shop:1.0',
    ],
    run: async (session, [target = ''], flags) => {
      const name = targetOf(target);
      const options: LoadOptions = { ...session.loadOptions(), profiles: ['*'] };
      const { project, warnings } = await loadProject({ ...options, without: new Set(['variableFiles']) });
      await session.warn(warnings);
      const lookup = lookupIn(await interpolationVariables(options));
      const files = await filesOf(project, lookup);
      refuse(project, files, flags);
      const ask = questions(session, flags.yes === true);
      const envFiles = flags.withEnv === true ? files.envFiles : [];
      if (!(await isAccepted(ask, { ...files, envFiles }, lookup))) {
        await io.stderr.write('Not published.\n');
        return 1;
      }
      const layers = [...files.composeFiles, ...envFiles].map(({ content }) => content);
      if (flags.resolveImageDigests === true) layers.push(await digestsLayer(session, project));
      if (session.isDryRun) {
        const names = layers.map(({ annotations = {} }) => Object.values(annotations).at(-1) ?? '');
        session.progress.note(`would publish ${names.join(', ')} as ${imageNameText(name)}`);
        return 0;
      }
      await pushBuiltImages(session, project);
      await session.print(`${await publish(session, name, layers, flags)}\n`);
      return 0;
    },
  });
}

/** @throws RegistryError.invalidName */
function targetOf(text: string): ImageName {
  const name = parseImageName(text);
  if (name.digest !== undefined) throw new UsageError(`'${text}' has a digest; publish gives a tag to what is new.`);
  return name;
}

async function filesOf(project: Project, lookup: Lookup): Promise<PublishedFiles> {
  if (project.files.includes(STANDARD_INPUT)) throw new UsageError('Standard input cannot be published: name a file.');
  return publishedFiles({
    files: project.files,
    workingDirectory: project.workingDirectory,
    lookup,
    read: (file) => localFiles.readText(file),
  });
}

/** @throws UsageError for what cannot be published whatever its owner answers */
function refuse(project: Project, files: PublishedFiles, { withEnv }: PublishFlags): void {
  if (files.hasIncludes) throw new UsageError('A compose file with include cannot be published.');
  const built = onlyBuilt(project);
  if (built.length > 0) {
    throw new UsageError(`Only built, so that nobody else has the image: ${built.join(', ')}. Give them an image.`);
  }
  const variables = withEnv === true ? [] : variablesOf(files.composeFiles);
  if (variables.length > 0) {
    throw new UsageError(
      [...variables, 'Use --with-env to publish the values of variables.'].map(printable).join('\n'),
    );
  }
}

async function isAccepted(ask: Ask, { composeFiles, envFiles }: PublishedFiles, lookup: Lookup): Promise<boolean> {
  const values = [...variableNames(composeFiles), ...envFiles.map(({ name }) => name)];
  const found: readonly (readonly [what: string, lines: readonly string[]])[] = [
    ['directories and files of this machine that services mount (not their content)', bindMounts(composeFiles, lookup)],
    ['what looks like secrets', secretLines([...composeFiles, ...envFiles])],
    ['the content of configs and secrets', literalContents(composeFiles)],
    ['the values of variables', values],
  ];
  for (const [what, lines] of found) {
    if (lines.length > 0 && !(await ask(`This would publish ${what}:`, lines))) return false;
  }
  return true;
}

async function digestsLayer(session: Session, project: Project): Promise<Content> {
  const { services } = await withPinnedImages(session, project);
  return composeFileLayer('image-digests.yaml', Buffer.from(renderModel(imagesOnly(services), 'yaml')));
}

/** Only images that are built here may be missing in their registries. */
async function pushBuiltImages(session: Session, project: Project): Promise<void> {
  if (Object.values(project.services).every(({ build }) => build === undefined)) return;
  await pushProject(await session.orchestration(), project, { ignoreFailures: true });
}

async function publish(
  session: Session,
  name: ImageName,
  layers: readonly Content[],
  { ociVersion, ociLayout }: PublishFlags,
): Promise<string> {
  const { io, signal } = session;
  const created = new Date(io.clock.now());
  const artifact = composeArtifact(layers, ociVersion ?? '1.1', created);
  const pinned = (digest: string): string => imageNameText({ ...name, digest });
  if (ociLayout !== undefined) {
    await writeLayout(path.resolve(io.workingDirectory, ociLayout), name.tag ?? 'latest', artifact);
    return pinned(artifact.manifest.digest);
  }
  const registry = openRegistry(name, { actions: 'pull,push', environment: io.environment, signal });
  try {
    await pushArtifact(registry, artifact);
    return pinned(artifact.manifest.digest);
  } catch (error) {
    if (ociVersion !== undefined || !(error instanceof RegistryError && error.case === 'refused')) throw error;
    // An older registry, which does not know what an artifact is.
    const older = composeArtifact(layers, '1.0', created);
    await pushArtifact(registry, older);
    return pinned(older.manifest.digest);
  }
}
