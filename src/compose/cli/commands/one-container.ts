/** `attach`, `export` and `commit`: commands on one container. */
import { rm } from 'node:fs/promises';
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import {
  membersOf,
  memberNumbered,
  observeProject,
  requireRunning,
  type Member,
} from '../../orchestrator/actual-state.js';
import { reported } from '../../orchestrator/orchestration.js';
import { collected, wholeNumber } from '../arguments.js';
import { define } from '../command.js';
import { Detached, detachKeysOf, detachKeysText, type DetachKeys } from '../detach-keys.js';
import { UsageError } from '../failures.js';
import { interact } from '../interaction.js';
import type { Io } from '../io.js';
import type { Session } from '../session.js';

interface AttachFlags {
  readonly detachKeys?: DetachKeys;
  readonly index?: number;
  /** commander turns `--no-stdin` into `stdin: false`. */
  readonly stdin?: boolean;
  readonly sigProxy?: boolean;
}

const INDEX = ['--index <number>', 'number of the container (default: the first)'] as const;

export function attachCommand(compose: Command, io: Io): void {
  define<AttachFlags>(compose, io, {
    usage: 'attach <service>',
    description: "connect this terminal to a service's running container",
    options: (command) =>
      command
        .option('--detach-keys <keys>', 'keys that detach (default: ctrl-p,ctrl-q)', detachKeysOf)
        .option(...INDEX, wholeNumber)
        .option('--no-stdin', 'do not attach standard input')
        .option('--no-sig-proxy', 'do not pass Ctrl-C on to the process; with it, a second Ctrl-C detaches'),
    examples: ['compose attach web', 'compose attach --no-stdin --no-sig-proxy web'],
    run: async (session, [service = ''], flags) => {
      const orchestration = await session.orchestration();
      const member = await memberOf(session, service, flags.index);
      requireRunning(member);
      const { container } = member;
      const { backend } = orchestration;
      const tty = container.tty && session.io.stdin.isTerminal && session.io.stdout.isTerminal;
      const isPassing = flags.sigProxy !== false && !tty;
      const release = isPassing
        ? session.io.onInterrupt(() => {
            backend.containers.kill(container.id, { killSignal: 'SIGINT' }).catch(() => undefined); // The container may already have ended.
          })
        : () => undefined;
      try {
        const { io: streams } = session;
        const signal = isPassing ? session.impatient : session.signal;
        const interactive = flags.stdin !== false;
        return await interact(
          { io: streams, signal },
          { tty, interactive, detachKeys: flags.detachKeys },
          (stdin, bound) =>
            backend.containers.attach(container.id, {
              signal: bound,
              ...(stdin && { stdin }),
              ...(flags.detachKeys && { detachKeys: detachKeysText(flags.detachKeys) }),
            }),
        );
      } catch (error) {
        if (error instanceof Detached) return 0;
        throw error;
      } finally {
        release();
      }
    },
  });
}

export function exportCommand(compose: Command, io: Io): void {
  define<{ index?: number; output?: string }>(compose, io, {
    usage: 'export <service>',
    description: "write a container's file system as a tar archive",
    options: (command) =>
      command.option('-o, --output <file>', 'write to a file instead of standard output').option(...INDEX, wholeNumber),
    examples: ['compose export -o web.tar web'],
    run: async (session, [service = ''], { index, output }) => {
      if (output === undefined && session.io.stdout.isTerminal) {
        throw new UsageError('Standard output is a terminal. Use --output, or redirect standard output.');
      }
      const orchestration = await session.orchestration();
      const { container } = await memberOf(session, service, index);
      await reported(orchestration, 'Container', container.name, ['Exporting', 'Exported'], async () => {
        if (session.isDryRun) return;
        const archive = await orchestration.backend.containers.export(container.id, { signal: session.signal });
        if (output === undefined) for await (const chunk of archive) await session.io.stdout.write(chunk);
        else await save(archive, path.resolve(session.io.workingDirectory, output));
      });
      return 0;
    },
  });
}

/** A failure leaves no partial file. */
async function save(archive: AsyncIterable<Uint8Array>, file: string): Promise<void> {
  const target = createWriteStream(file, { mode: 0o600 });
  try {
    await pipeline(archive, target);
  } catch (error) {
    await rm(file, { force: true });
    if (error instanceof Error && 'syscall' in error && 'path' in error) {
      throw new UsageError(`Cannot write '${file}': ${error.message}`);
    }
    throw error;
  }
}

interface CommitFlags {
  readonly author?: string;
  readonly change?: readonly string[];
  readonly index?: number;
  readonly message?: string;
  readonly pause?: boolean;
}

export function commitCommand(compose: Command, io: Io): void {
  define<CommitFlags>(compose, io, {
    usage: 'commit <service> [image]',
    description: "make an image of a container's file system and settings",
    options: (command) =>
      command
        .option('-a, --author <author>', 'author of the image')
        .option('-c, --change <instruction>', 'Dockerfile instruction to apply; repeatable', collected)
        .option(...INDEX, wholeNumber)
        .option('-m, --message <message>', 'commit message')
        .option('-p, --pause', 'pause the container meanwhile (default)')
        .option('--no-pause', 'do not pause the container'),
    examples: ["compose commit -c 'ENV DEBUG=1' web web:snapshot"],
    run: async (session, [service = '', reference], { author, change, index, message, pause }) => {
      const orchestration = await session.orchestration();
      const { container } = await memberOf(session, service, index);
      const { signal } = session;
      await reported(orchestration, 'Container', container.name, ['Committing', 'Committed'], async () => {
        const spec = {
          pause: pause !== false,
          ...(reference !== undefined && { reference }),
          ...(author !== undefined && { author }),
          ...(change && { changes: change }),
          ...(message !== undefined && { message }),
        };
        const id = await orchestration.backend.containers.commit(container.id, spec, { signal });
        if (!session.isDryRun) await session.print(`sha256:${id}\n`);
      });
      return 0;
    },
  });
}

/** @throws RuntimeError.notFound for a service without such a container */
async function memberOf(session: Session, service: string, index: number | undefined): Promise<Member> {
  const selection = await session.select([service]);
  const { name, project } = selection;
  const present = await observeProject(await session.orchestration(), name);
  const defined = Object.keys({ ...project?.services, ...project?.disabledServices });
  return memberNumbered(membersOf(present, [service], name, defined), { project: name, service, number: index });
}
