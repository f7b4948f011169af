/** Flags that docker compose accepts without listing them in its help. They are accepted so that scripts keep working. */
import { Option } from 'commander';
import { collected } from './arguments.js';

/** A flag that sets the value of another one. */
export class Alias extends Option {
  readonly #attribute: string;

  constructor(flags: string, attribute: string) {
    super(flags);
    this.#attribute = attribute;
    this.hideHelp();
  }

  override attributeName(): string {
    return this.#attribute;
  }
}

/** A flag that has no effect in docker compose 2 either. */
export const ignored = (flags: string): Option => new Alias(flags, 'ignored');

/** The flags before the command. */
export function hiddenGlobals(): Option[] {
  return [
    new Alias('--workdir <path>', 'projectDirectory'),
    new Option('--no-ansi').preset('never').hideHelp(),
    ignored('--verbose'),
  ];
}

/** The flags of one command. */
export function hiddenFlags(command: string): Option[] {
  return FLAGS[command]?.() ?? [];
}

const FLAGS: Readonly<Record<string, () => Option[]>> = {
  build: () => [ignored('--compress'), ignored('--force-rm'), ignored('--no-rm'), ignored('--parallel')],
  create: () => [ignored('--y')],
  down: () => [new Alias('--volume', 'volumes')],
  exec: () => [
    new Option('-i, --interactive').hideHelp(),
    new Option('-t, --tty').hideHelp(),
    new Alias('--no-TTY', 'tty'),
  ],
  publish: () => [new Alias('--y', 'yes')],
  pull: () => [ignored('--parallel'), ignored('--no-parallel')],
  rm: () => [ignored('-a, --all')],
  run: () => [
    new Option('-t, --tty').hideHelp(),
    new Alias('--no-TTY', 'tty'),
    new Alias('--labels <name=value>', 'label').argParser(collected),
    new Alias('--volumes <source:target>', 'volume').argParser(collected),
  ],
  up: () => [ignored('--y')],
};
