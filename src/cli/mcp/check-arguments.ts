/** Checks the arguments of a tool with its schema. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Tool } from '@plumbline/contract/contract-types';

// Stops at the first fault: hostile arguments could have thousands.
const ajv = new Ajv2020({ strict: false, allErrors: false });
formats.default(ajv);
const compiled = new WeakMap<Tool, ValidateFunction>();

/** @returns the first fault; null: there is none */
export function argumentFault(tool: Tool, given: unknown): string | null {
  const validate = compiled.get(tool) ?? ajv.compile(tool.inputSchema);
  compiled.set(tool, validate);
  if (validate(given)) return null;
  const [fault] = validate.errors ?? [];
  if (fault === undefined) return 'The arguments are invalid.';
  const { instancePath, keyword, params, message = 'is invalid' } = fault;
  const unknown: unknown = keyword === 'additionalProperties' ? params['additionalProperty'] : undefined;
  if (typeof unknown === 'string')
    return `Correct the arguments: ${instancePath}/${unknown.slice(0, 100)} is unknown; remove it.`;
  return `Correct the arguments: ${instancePath === '' ? 'they' : instancePath} ${message}.`;
}
