/** `cp`: copies files between this machine and containers. */
import path from 'node:path';
import type { Command } from 'commander';
import { membersOf, memberNumbered, observeProject, type Member } from '../../orchestrator/actual-state.js';
import { OrchestratorError } from '../../orchestrator/errors.js';
import { reported } from '../../orchestrator/orchestration.js';
import { unlessNotFound } from '../../runtime/errors.js';
import type { Backend } from '../../runtime/runtime.js';
import { wholeNumber } from '../arguments.js';
import { define } from '../command.js';
import { UsageError } from '../failures.js';
import type { Io } from '../io.js';
import type { Session } from '../session.js';
import type { Target } from '../copy/placement.js';

interface CpFlags {
  readonly all?: boolean;
  readonly archive?: boolean;
  readonly followLink?: boolean;
  readonly index?: number;
}

export function cpCommand(compose: Command, io: Io): void {
  define<CpFlags>(compose, io, {
    usage: 'cp <source> <target>',
    description: 'copy files from or to containers: <service>:<path>, a local path, or - for a tar archive',
    options: (command) =>
      command
        .option('--all', 'include containers of the run command')
        .option('-a, --archive', 'keep owners of files that are copied to this machine')
        .option('-L, --follow-link', 'follow a symbolic link in the source')
        .option('--index <number>', 'number of the container (default: all for a copy into containers)', wholeNumber),
    examples: [
      'compose cp web:/etc/nginx ./nginx',
      'compose cp ./site/. web:/srv',
      'compose cp web:/data - > data.tar',
    ],
    run: async (session, [source = '', target = ''], flags) => {
      const from = sideOf(source);
      const to = sideOf(target);
      if (from.service !== undefined && to.service !== undefined) {
        throw new UsageError('cp cannot copy between services. Copy to this machine first.');
      }
      const service = from.service ?? to.service;
      if (service === undefined) throw new UsageError('Either the source or the target must be <service>:<path>.');
      const members = await membersFor(session, service, flags);
      if (from.service !== undefined) await copyOut(session, members.slice(0, 1), from.path, to.path, flags);
      else await copyIn(session, members, from.path, to.path, flags);
      return 0;
    },
  });
}

/** `web:/tmp`; a path that begins with `/` or `.` is local. */
function sideOf(word: string): { readonly service?: string; readonly path: string } {
  const [, service, inside] = /^([^/.][^:/]*):(.*)$/s.exec(word) ?? [];
  return service === undefined ? { path: word } : { service, path: inside === '' ? '/' : (inside ?? '/') };
}

async function membersFor(session: Session, service: string, { all, index }: CpFlags): Promise<Member[]> {
  const { name, project } = await session.select([service]);
  const present = await observeProject(await session.orchestration(), name);
  const defined = Object.keys({ ...project?.services, ...project?.disabledServices });
  const replicas = membersOf(present, [service], name, defined);
  const oneOffs = all === true ? present.filter((each) => each.oneOff && each.service === service) : [];
  const one = index === undefined ? undefined : [memberNumbered(replicas, { project: name, service, number: index })];
  const members = one ?? [...replicas, ...oneOffs];
  if (members.length === 0) throw new OrchestratorError({ case: 'serviceNotFound', project: name, service });
  return members;
}

async function copyOut(
  session: Session,
  members: readonly Member[],
  source: string,
  target: string,
  flags: CpFlags,
): Promise<void> {
  const orchestration = await session.orchestration();
  const { containers } = orchestration.backend;
  const { signal } = session;
  const { firstEntry, localTarget, unpackLocally } = await import('../copy/archives.js');
  for (const { container } of members) {
    const wanted = path.posix.resolve('/', source);
    const link = async (): Promise<string | undefined> =>
      (await firstEntry(await containers.getArchive(container.id, wanted, { signal })))?.link;
    const linked = flags.followLink === true ? await link() : undefined;
    const followed = linked === undefined ? wanted : path.posix.resolve(path.posix.dirname(wanted), linked);
    const archive = await containers.getArchive(container.id, followed, { signal });
    if (target === '-') {
      for await (const chunk of archive) await session.io.stdout.write(chunk);
      return;
    }
    const place = await localTarget(absolute(session, target));
    await reported(orchestration, 'Container', container.name, ['Copying', 'Copied'], async () => {
      if (session.isDryRun) await firstEntry(archive);
      else await unpackLocally(archive, { isContents: /(?:^|\/)\.$/.test(source) }, place, flags.archive === true);
    });
  }
}

async function copyIn(
  session: Session,
  members: readonly Member[],
  source: string,
  target: string,
  flags: CpFlags,
): Promise<void> {
  const orchestration = await session.orchestration();
  const { backend } = orchestration;
  const { signal } = session;
  const { archiveOfLocal, localSource } = await import('../copy/archives.js');
  const { placement } = await import('../copy/placement.js');
  const followsLink = flags.followLink === true;
  if (source === '-') {
    if (members.length > 1) throw new UsageError('Standard input goes to one container: use --index.');
    for (const { container } of members) {
      if ((await targetIn(backend, container.id, target, signal)).kind !== 'directory') {
        throw new UsageError(`'${target}' is not a directory.`);
      }
      await backend.containers.putArchive(container.id, path.posix.resolve('/', target), session.io.stdin, { signal });
    }
    return;
  }
  const file = absolute(session, source);
  const local = await localSource(file, followsLink);
  await Promise.all(
    members.map(({ container }) =>
      reported(orchestration, 'Container', container.name, ['Copying', 'Copied'], async () => {
        const { directory, name } = placement(local, await targetIn(backend, container.id, target, signal));
        const archive = archiveOfLocal(file, name, followsLink);
        await backend.containers.putArchive(container.id, directory, archive, { signal });
      }),
    ),
  );
}

/** Follows a symbolic link. */
async function targetIn(backend: Backend, id: string, target: string, signal: AbortSignal): Promise<Target> {
  const { firstEntry } = await import('../copy/archives.js');
  const look = async (file: string): ReturnType<typeof firstEntry> => {
    const archive = await unlessNotFound(backend.containers.getArchive(id, file, { signal }));
    return archive === undefined ? undefined : firstEntry(archive);
  };
  const isDirectoryWanted = /\/\.?$/.test(target);
  let file = path.posix.resolve('/', target);
  let found = await look(file);
  if (found?.link !== undefined) {
    file = path.posix.resolve(path.posix.dirname(file), found.link);
    found = await look(file);
  }
  const kind = found === undefined ? 'missing' : found.isDirectory ? 'directory' : 'file';
  // Podman would create it.
  const parent = path.posix.dirname(file);
  if (kind === 'missing' && (await look(parent)) === undefined) {
    throw new UsageError(`The directory '${parent}' does not exist.`);
  }
  return { path: isDirectoryWanted && file !== '/' ? `${file}/` : file, kind };
}

/** Keeps a final `/` or `/.`, which say how to copy. */
function absolute(session: Session, file: string): string {
  const whole = path.resolve(session.io.workingDirectory, file);
  return `${whole}${/(?:^|\/)\.$/.test(file) ? '/.' : file.endsWith('/') ? '/' : ''}`;
}
