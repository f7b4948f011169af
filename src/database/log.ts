/** The logger of this layer. */
export type { Log } from '../../generated/contract.js';
