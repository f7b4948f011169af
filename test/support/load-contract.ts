import { readFileSync } from 'node:fs';
import { readDocument, type Contract } from '../../src/contract-tools/gate/contract.js';

/** Reads `generated/<api>/openapi.json` below `root`. */
export function loadContract(api: string, root: string): Contract {
  return readDocument(api, JSON.parse(readFileSync(`${root}/generated/${api}/openapi.json`, 'utf8')));
}
