/** What this layer needs from a logger. */
export type { Log } from '../../generated/contract.js';
