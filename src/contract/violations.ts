import type { ValidationFault, Validator } from './contract-types.js';
import { validationFailed, type ValidationFailed } from '../../generated/contract/problems.js';

/** One violation, as the problem `validation-failed` lists it. */
export interface Violation {
  /** JSON Pointer into the request: `/body/email`, `/query/limit`. */
  readonly path: string;
  /** The JSON Schema keyword. */
  readonly rule: string;
  readonly message: string;
}

/** A hostile body can cause thousands of violations; the reply lists at most this many. */
const maxListed = 50;
const longestShownPattern = 60;
/** Maximum number of violations in the message. */
const maxNamed = 3;

/** The problem (422) that lists `violations`. */
export function validationProblem(violations: readonly Violation[]): ValidationFailed {
  const named = violations.slice(0, maxNamed).map(({ path, message }) => `${path} ${message}`);
  const more = violations.length > maxNamed ? ` (and ${violations.length - maxNamed} more)` : '';
  return validationFailed({
    message: `Correct the request: ${named.join('; ')}${more}.`,
    violations: violations.slice(0, maxListed),
  });
}

/** Converts the validator's errors to violations: where, which rule, and how to correct it. */
export function violationsOfFaults(validator: Validator, place: string): Violation[] {
  // Each fault of a property name is followed by a fault without further information, which is dropped.
  const faults = withoutOtherAlternatives(validator.errors ?? []).filter(({ keyword }) => keyword !== 'propertyNames');
  return faults.map((fault) => {
    const path = `${place}${fault.instancePath}`;
    const property = propertyOf(fault);
    return {
      path: property === null ? path : `${path}/${pointerSegment(property)}`,
      rule: fault.keyword,
      message: messageOf(fault),
    };
  });
}

/**
 * A value that matches no alternative of a `oneOf` gets the errors of all of them. Alternatives differ by a `const`
 * property. Errors of alternatives with another constant are dropped, because the caller did not mean them.
 */
function withoutOtherAlternatives(faults: readonly ValidationFault[]): readonly ValidationFault[] {
  if (!faults.some(({ keyword }) => keyword === 'oneOf')) return faults;
  const constants = faults.filter(({ keyword }) => keyword === 'const');
  const notMeant = constants.map(({ schemaPath }) => schemaPath.replace(/\/properties\/[^/]+\/const$/, '/'));
  const meant = faults.filter(
    ({ keyword, schemaPath }) => keyword !== 'oneOf' && !notMeant.some((branch) => schemaPath.startsWith(branch)),
  );
  const [first] = constants;
  if (meant.length > 0 || first === undefined) return meant.length > 0 ? meant : faults;
  const allowedValues = constants.map(({ params }) => params['allowedValue']);
  return [{ ...first, keyword: 'enum', params: { allowedValues } }];
}

/** The property that an object's error refers to. */
function propertyOf({ keyword, params, propertyName }: ValidationFault): string | null {
  if (propertyName !== undefined) return propertyName;
  const name = { required: params['missingProperty'], additionalProperties: params['additionalProperty'] }[keyword];
  return typeof name === 'string' ? name : null;
}

function messageOf({ keyword, params, message }: ValidationFault): string {
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties') return 'is unknown; remove it';
  if (keyword === 'enum' && Array.isArray(params['allowedValues'])) {
    return `must be one of ${params['allowedValues'].map(String).join(', ')}`;
  }
  if (keyword === 'format') return `must be a valid ${String(params['format'])}`;
  // Do not print a long pattern.
  if (keyword === 'pattern' && String(params['pattern']).length > longestShownPattern) {
    return 'has a format or characters that the contract does not allow';
  }
  return message ?? `violates ${keyword}`;
}

/** A property name as a segment of a JSON Pointer (RFC 6901). */
export function pointerSegment(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
