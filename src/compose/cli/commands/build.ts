import type { Command } from 'commander';
import { selectServices } from '../../model/project/profiles.js';
import { buildProject, checkProject, withBuildDependencies } from '../../orchestrator/image-commands.js';
import type { BuildOptions } from '../../orchestrator/build-spec.js';
import type { Loaded } from '../../orchestrator/up.js';
import { collected, memorySize, sshAgent, variables } from '../arguments.js';
import { define } from '../command.js';
import type { BuildFlags } from '../flags.js';
import type { Io } from '../io.js';
import { quieter } from '../quiet.js';
import type { Session } from '../session.js';

export function buildCommand(compose: Command, io: Io): void {
  define<BuildFlags>(compose, io, {
    usage: 'build [services...]',
    description: 'build images',
    options: (command) =>
      command
        .option('--build-arg <name=value>', 'build argument; repeatable', collected)
        .option('--builder <name>', 'builder of docker buildx (default: BUILDX_BUILDER, or the engine)')
        .option('--check', 'check the Dockerfiles, and build nothing')
        .option('-m, --memory <size>', 'memory limit of the build; BuildKit has none', memorySize)
        .option('--no-cache', 'build without cache')
        .option('--print', 'print the file for docker buildx bake, and build nothing')
        .option('--provenance <setting>', 'add a provenance attestation')
        .option('--pull', 'look for newer base images')
        .option('--push', 'push the images of services that have an image name')
        .option('-q, --quiet', 'do not print progress')
        .option('--sbom <setting>', 'add an SBOM attestation')
        .option('--ssh <agent>', 'SSH agent for the builds: default, or <id>=<path>', sshAgent)
        .option('--with-dependencies', 'also build dependencies'),
    run: async (session, services, flags) => {
      if (flags.print === true) return printFile(session, services, flags);
      const { project, contents } = await loadChosen(session, services, flags.withDependencies === true);
      const orchestration = quieter(await session.orchestration(), { quiet: flags.quiet === true });
      const options = optionsOf(flags, contents, session.io.environment);
      await session.explaining(async () => {
        if (flags.check === true) await checkProject(orchestration, project, options, (text) => session.print(text));
        else await buildProject(orchestration, project, options);
      });
      return 0;
    },
    remote: async () => (await import('../remote/images.js')).build,
  });
}

function optionsOf(
  flags: BuildFlags,
  contents: BuildOptions['contents'],
  environment: Io['environment'],
): BuildOptions {
  const { builder, memory, provenance, sbom, ssh } = flags;
  return {
    contents,
    allPlatforms: true,
    buildArguments: variables(flags.buildArg, environment),
    ...(builder !== undefined && { builder }),
    ...(flags.cache === false && { noCache: true }),
    ...(memory !== undefined && { memoryBytes: memory }),
    ...(provenance !== undefined && { provenance }),
    ...(flags.pull === true && { pull: true }),
    ...(flags.push === true && { push: true }),
    ...(sbom !== undefined && { sbom }),
    ...(ssh !== undefined && { ssh }),
    ...(flags.check === true && { check: true }),
  };
}

/** Needs no engine. */
async function printFile(session: Session, services: readonly string[], flags: BuildFlags): Promise<number> {
  const { bakeFileOf } = await import('../../orchestrator/bake-file.js');
  const all = flags.withDependencies === true ? await session.load(services) : await session.load();
  const chosen = Object.keys(chosenOf(all, services, flags.withDependencies === true).project.services);
  await session.printJson(bakeFileOf(all.project, chosen, optionsOf(flags, all.contents, session.io.environment)));
  return 0;
}

async function loadChosen(session: Session, services: readonly string[], dependencies: boolean): Promise<Loaded> {
  return chosenOf(dependencies ? await session.load(services) : await session.load(), services, dependencies);
}

function chosenOf({ project, contents }: Loaded, services: readonly string[], dependencies: boolean): Loaded {
  if (services.length === 0) return { project, contents };
  const names = dependencies ? Object.keys(project.services) : services;
  return { project: selectServices(project, withBuildDependencies(project, names), 'ignore'), contents };
}
