import type { ConfigOption } from './environment.js';

/** The options of all commands of `plumbline service-tokens`. */
export interface TokenOptions extends ConfigOption {
  readonly org: string;
}

export interface CreateOptions extends TokenOptions {
  readonly scope: readonly string[];
  readonly days: string;
}

export interface RotateOptions extends TokenOptions {
  readonly overlap: string;
  readonly days?: string;
}

export interface ListOptions extends TokenOptions {
  readonly json?: boolean;
}
