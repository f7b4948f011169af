/** One run of a command: its resolved options, loaded project and open backend. */
import { ComposeFailure } from '../model/errors.js';
import { loadProject, type LoadedProject, type LoadOptions } from '../model/loader/load.js';
import { isSwitchedOn, type Environment } from '../model/dotenv/environment.js';
import type { Project } from '../model/project/project.js';
import type { SupportMode } from '../model/validate/support.js';
import type { Selection } from '../orchestrator/lifecycle.js';
import { DEFAULT_PARALLEL, type Orchestration } from '../orchestrator/orchestration.js';
import { providerPrograms } from '../orchestrator/providers/program.js';
import type { RunProvider } from '../orchestrator/providers/run-provider.js';
import type { Backend } from '../runtime/runtime.js';
import type { ChosenEngine } from '../runtime/select.js';
import { explain } from '../orchestrator/explanation.js';
import { Explained, UsageError } from './failures.js';
import type { DockerFlags } from './docker-flags.js';
import type { Io } from './io.js';
import { progressView } from './progress.js';
import { DRY_RUN, type ProgressStyle, type ProgressView } from './progress-view.js';
import { isColoured, paint, printable, YELLOW } from './text.js';

/** Options that every command accepts, before or after its name. */
export interface GlobalOptions extends DockerFlags {
  readonly file?: readonly string[];
  readonly projectName?: string;
  readonly projectDirectory?: string;
  readonly profile?: readonly string[];
  readonly envFile?: readonly string[];
  readonly parallel?: number;
  readonly backend?: string;
  readonly remote?: string;
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly allResources?: boolean;
  readonly compatibility?: boolean;
  readonly dryRun?: boolean;
  readonly ansi?: 'auto' | 'always' | 'never';
  readonly progress?: ProgressStyle;
  readonly support?: SupportMode;
}

/** @throws UsageError for the address of a registry or a repository, which can have a password: it is not shown */
function refuseAddresses(files: readonly string[]): void {
  const [scheme] = files.flatMap((file) => /^(?:[a-z][a-z0-9+.-]*:\/\/|git@)/i.exec(file) ?? []);
  if (scheme === undefined) return;
  throw new UsageError(
    `-f ${scheme}... is not supported: only files of this machine are read. Fetch them first ` +
      `('docker compose -f oci://... config', 'git clone'), then name them with -f.`,
  );
}

/** How the options of the command line find and read the project. */
export function loadOptions(io: Io, options: GlobalOptions): LoadOptions {
  const { backend, file, projectName, projectDirectory, profile, envFile, support, compatibility } = options;
  return {
    environment: io.environment,
    workingDirectory: io.workingDirectory,
    ...(file && { files: file }),
    ...(projectName !== undefined && { projectName }),
    ...(projectDirectory !== undefined && { projectDirectory }),
    ...(profile && { profiles: profile }),
    ...(envFile && { envFiles: envFile }),
    ...(support && { support }),
    ...(compatibility !== undefined && { compatibility }),
    forSwarm: (backend ?? io.environment['COMPOSE_BACKEND']) === 'swarm',
  };
}

export class Session {
  readonly io: Io;
  readonly options: GlobalOptions;
  /** The variables of the environment, and of the environment files that are known before a compose file is found. */
  readonly variables: Environment;
  readonly signal: AbortSignal;
  /** The second Ctrl-C. */
  readonly impatient: AbortSignal;
  readonly progress: ProgressView;
  readonly #stops: boolean;
  /** The warnings that were printed: a command may load the project several times. */
  readonly #warned = new Set<string>();
  #orchestration: Promise<Orchestration> | undefined;

  /** @param run `stops`: whether the command can stop containers */
  constructor(
    io: Io,
    options: GlobalOptions,
    variables: Environment,
    { signal, impatient, stops }: { signal: AbortSignal; impatient: AbortSignal; stops: boolean },
  ) {
    this.io = io;
    this.#stops = stops;
    this.options = options;
    this.variables = variables;
    this.signal = signal;
    this.impatient = impatient;
    const output = isSwitchedOn(variables.get('COMPOSE_STATUS_STDOUT')) ? 'stdout' : 'stderr';
    const { progress = 'auto', ansi } = options;
    this.progress = progressView(io[output], {
      style: progress === 'auto' && ansi === 'never' ? 'plain' : progress,
      coloured: this.coloured(output),
      clock: io.clock,
      isShared: io.stdout.isTerminal,
      isDryRun: options.dryRun === true,
    });
  }

  /** Whether nothing may be changed, also no file of this machine. */
  get isDryRun(): boolean {
    return this.options.dryRun === true;
  }

  coloured(output: 'stdout' | 'stderr'): boolean {
    return isColoured(this.io[output], this.options.ansi, this.io.environment);
  }

  async print(text: string): Promise<void> {
    await this.io.stdout.write(text);
  }

  async printJson(value: unknown): Promise<void> {
    await this.print(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** The engine of this command. */
  engine(): Promise<ChosenEngine> {
    const { backend, context } = this.options;
    return this.io.chooseEngine({
      environment: this.io.environment,
      ...(backend !== undefined && { backend }),
      ...(context !== undefined && { context }),
    });
  }

  async openBackend(): Promise<Backend> {
    return (await this.#engineToOpen()).open();
  }

  orchestration(): Promise<Orchestration> {
    this.#orchestration ??= this.#openForCommand().then((backend) => ({
      backend,
      clock: this.io.clock,
      signal: this.signal,
      report: (progress) => {
        this.progress.report(progress);
      },
      ...(this.options.allResources === true && { allResources: true }),
      runProvider: this.isDryRun ? noProviders : providerPrograms(this.io),
      parallel: this.options.parallel ?? parallelLimit(this.variables.get('COMPOSE_PARALLEL_LIMIT')),
    }));
    return this.#orchestration;
  }

  async #openForCommand(): Promise<Backend> {
    const engine = await this.#engineToOpen();
    const backend = await (engine.openForCommand ?? engine.open)();
    if (!this.isDryRun) return backend;
    const { dryRunBackend } = await import('../runtime/dry-run/dry-run.js');
    return dryRunBackend(backend, {
      clock: this.io.clock,
      wouldRun: (container, command) => {
        this.progress.note(`${DRY_RUN}${container}: ${command.map(printable).join(' ')}`);
      },
    });
  }

  async #engineToOpen(): Promise<ChosenEngine> {
    const engine = await this.engine();
    if (engine.warning !== undefined) this.progress.report({ kind: 'warning', message: engine.warning });
    return engine;
  }

  /** Adds known causes and remedies to an error. */
  async explaining<T>(work: () => Promise<T>, project?: Project): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const lines = await explain(await this.orchestration(), error, project);
      throw lines.length === 0 ? error : new Explained(error, lines.map(printable));
    }
  }

  loadOptions(services: readonly string[] = []): LoadOptions {
    refuseAddresses(this.options.file ?? []);
    return { ...loadOptions(this.io, this.options), services };
  }

  /**
   * @param services limits the project to these and their dependencies
   * @param without stages to leave out, for printing only
   */
  async load(services: readonly string[] = [], without?: LoadOptions['without']): Promise<LoadedProject> {
    const loaded = await loadProject({ ...this.loadOptions(services), ...(without && { without }) });
    await this.warn(loaded.warnings);
    return loaded;
  }

  async warn(warnings: LoadedProject['warnings']): Promise<void> {
    const mark = paint('warning:', YELLOW, this.coloured('stderr'));
    for (const { code, message, location } of warnings) {
      if (code === 'stopTimeIgnored' && !this.#stops) continue;
      const at = location === undefined ? '' : `${location.file}:${location.line}:${location.column}: `;
      const text = `${mark} ${at}${message}\n`;
      if (this.#warned.has(text)) continue;
      this.#warned.add(text);
      await this.io.stderr.write(text);
    }
  }

  /**
   * Selects the containers of a command. Without a compose file, a named project is identified by its containers'
   * labels.
   */
  async select(services: readonly string[] = []): Promise<Selection> {
    try {
      const { project } = await this.load();
      return { name: project.name, services, project };
    } catch (error) {
      const name = this.options.projectName ?? this.io.environment['COMPOSE_PROJECT_NAME'];
      const isMissing =
        error instanceof ComposeFailure && error.error === 'YamlError' && error.case === 'composeFileNotFound';
      if (!isMissing || !name || (this.options.file ?? []).length > 0) throw error;
      return { name, services };
    }
  }
}

/** A dry run starts no programs. The variables of providers are therefore unknown. */
const noProviders: RunProvider = () => Promise.resolve({ prefixed: {}, raw: {} });

function parallelLimit(text: string | undefined): number {
  if (!text) return DEFAULT_PARALLEL;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit === 0) throw new UsageError('COMPOSE_PARALLEL_LIMIT must be a whole number.');
  return limit < 0 ? Infinity : limit;
}
