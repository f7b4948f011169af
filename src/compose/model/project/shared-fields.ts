/** Fields that services, builds and resources share. */
import type { Json } from '../node.js';

/** Data under `x-` keys is kept unchanged. */
export interface Extensible {
  [extension: `x-${string}`]: Json;
}

/** A secret or config granted to a service or a build. */
export interface FileReference extends Extensible {
  /** A key of the project's secrets or configs. */
  source: string;
  /** The path in the container; always set for secrets. */
  target?: string;
  uid?: string;
  gid?: string;
  /** File permissions as a number: 0o440 is 288. */
  mode?: number;
}

export interface Ulimit extends Extensible {
  soft: number;
  hard: number;
}
