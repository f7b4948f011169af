/** `up` in the foreground: the output of containers, file changes, and the menu. */
import { isSwitchedOn } from '../model/dotenv/environment.js';
import type { Service } from '../model/project/service.js';
import { upAttached } from '../orchestrator/attached.js';
import type { Plan, Step } from '../orchestrator/plan.js';
import type { Orchestration } from '../orchestrator/orchestration.js';
import type { Loaded, UpObserver, UpOptions } from '../orchestrator/up.js';
import { watchedServices, watchProject } from '../orchestrator/watch.js';
import { describe } from './failures.js';
import type { UpFlags } from './flags.js';
import { linePrinter } from './line-printer.js';
import { noMenu, openMenu, type Menu } from './menu.js';
import { quieter } from './quiet.js';
import type { Session } from './session.js';

/** @returns the exit code */
export async function runAttached(
  session: Session,
  loaded: Loaded,
  options: UpOptions,
  services: readonly string[],
  flags: UpFlags,
): Promise<number> {
  const { project } = loaded;
  const orchestration = quieter(await session.orchestration(), flags);
  const printer = linePrinter(session, project.name, { ...flags, ansi: flags.color === false ? 'never' : undefined });
  const shown = (service: string): boolean => isShown(flags, services, service, project.services[service]);
  let attaching = '';
  const observer = {
    planned: (plan: Plan): void => {
      const names = plan.services.flatMap((each) => (shown(each.service) ? each.steps.map(nameOf) : []));
      printer.expect(names);
      if (names.length > 0) attaching = `Attaching to ${names.map(printer.shortName).join(', ')}\n`;
    },
    running: keptReporter(orchestration),
  };
  const detaching = new AbortController();
  let menu = noMenu;
  let isApplying = false;
  const print = (text: string): Promise<void> => menu.above(() => session.print(`${text}\n`));
  /** Says once, before all output, whose output it is. */
  const announce = async (): Promise<void> => {
    const text = attaching;
    attaching = '';
    if (text !== '') await session.progress.beside(() => session.print(text));
  };
  const warn = (message: string): void =>
    void menu.above(() => {
      session.progress.report({ kind: 'warning', message });
      return session.progress.close();
    });
  const watch = watchSwitch(
    (signal) =>
      watchProject(
        { ...orchestration, signal },
        loaded,
        {
          applied: (text) => void print(text),
          failed: (service, error) => {
            warn(`${service}: ${describe(error)}`);
          },
        },
        { onApplying: (isUnderWay) => (isApplying = isUnderWay) },
      ),
    (error) => {
      warn(describe(error));
    },
  );
  session.signal.addEventListener('abort', watch.stop, { once: true });
  const opened = (): Menu =>
    openMenu(session, [
      {
        key: 'w',
        label: () => (watch.isOn() ? 'Disable Watch' : 'Enable Watch'),
        press: () => {
          if (watchedServices(loaded).length === 0) void print('No service has a develop.watch section.');
          else if (watch.isOn()) watch.stop();
          else watch.start();
        },
      },
      {
        key: 'd',
        label: () => 'Detach',
        press: () => {
          detaching.abort();
        },
      },
    ]);
  const code = upAttached(
    orchestration,
    loaded,
    { ...options, observer },
    {
      shown,
      abortOn:
        flags.abortOnContainerExit === true ? 'exit' : flags.abortOnContainerFailure === true ? 'failure' : undefined,
      exitCodeFrom: flags.exitCodeFrom,
      isRestarting: () => isApplying,
      timeoutSeconds: flags.timeout,
      impatient: session.impatient,
      detached: detaching.signal,
      onStopping: async () => {
        await menu.close();
        session.progress.note('Stopping... (press Ctrl+C again to force)');
      },
    },
    async (happening) => {
      if (happening.kind === 'up') {
        await session.progress.close();
        await announce();
        if (flags.watch === true) watch.start();
        if (wantsMenu(session, flags)) menu = opened();
      } else if (happening.kind === 'line') {
        await announce();
        await menu.above(() => session.progress.beside(() => printer.line(happening)));
      } else if (shown(happening.service)) {
        const text = happening.kind === 'replaced' ? 'is replaced' : `exited with code ${happening.exitCode}`;
        await menu.above(() => session.progress.beside(() => printer.note(happening.container, text)));
      }
    },
  );
  return code.finally(async () => {
    watch.stop();
    await menu.close();
  });
}

/** Reports the containers that `up` keeps running, so that it never ends without a word. */
export function keptReporter({ report }: Orchestration): UpObserver['running'] {
  return (_service, { name }, { act }) => {
    if (act === 'keep') report({ kind: 'status', resource: 'Container', name, status: 'Running', done: true });
  };
}

/** Only a person at a terminal can press keys. */
function wantsMenu({ io, variables }: Session, { menu }: UpFlags): boolean {
  const isWanted = menu ?? isSwitchedOn(variables.get('COMPOSE_MENU'));
  return isWanted && io.stdin.isTerminal && io.stdout.isTerminal;
}

interface WatchSwitch {
  isOn(): boolean;
  start(): void;
  stop(): void;
}

/** @param failed called when it is off again */
function watchSwitch(run: (signal: AbortSignal) => Promise<void>, failed: (error: unknown) => void): WatchSwitch {
  let running: AbortController | undefined;
  return {
    isOn: () => running !== undefined,
    start() {
      const started = new AbortController();
      running = started;
      run(started.signal).catch((error: unknown) => {
        if (started.signal.aborted) return;
        running = undefined;
        failed(error);
      });
    },
    stop() {
      running?.abort();
      running = undefined;
    },
  };
}

function nameOf(step: Step): string {
  return 'name' in step ? step.name : step.container.name;
}

/**
 * `--attach` and `--no-attach` take precedence over the named services, and those over the file's `attach`. The output
 * of mere dependencies of the named services is not shown.
 */
function isShown(
  { attach, attachDependencies, noAttach = [] }: UpFlags,
  named: readonly string[],
  service: string,
  definition: Service | undefined,
): boolean {
  if (noAttach.includes(service)) return false;
  if (attach !== undefined) return attach.includes(service);
  const isNamed = named.length === 0 || named.includes(service) || attachDependencies === true;
  return definition?.attach !== false && isNamed;
}
