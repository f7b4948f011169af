/** The logger of this layer. */
export type { Log } from '@plumbline/contract/contract-types';
