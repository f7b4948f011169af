import fc from 'fast-check';
import { isJson } from '../requests/check-request.js';
import { isAllowed, writeParameter } from '../requests/parameter-values.js';
import type { Content, Parameter } from '../requests/read-requests.js';
import { valuesOf, type Making } from '../values/arbitrary.js';
import { isSendable, type Draft } from './draft.js';
import type { Subject } from './subject.js';

/** Drafts of requests that the contract allows; null where none could be made in this attempt. */
export function allowedDrafts({ documented, making, fixed }: Subject): fc.Arbitrary<Draft | null> {
  const { parameters, body } = documented;
  const bodies = body === null ? [] : [...body.contents].map((entry) => bodiesOf(making, ...entry));
  const ofBody = bodies.length === 0 ? fc.constant(null) : fc.oneof(...bodies);
  const isBodyRequired = body?.required === true;
  return fc
    .record({
      pairs: fc.tuple(...parameters.map((parameter) => pairsOf(making, parameter, fixed.get(parameter.name)))),
      body: isBodyRequired ? ofBody : fc.option(ofBody, { nil: null }),
    })
    .map(({ pairs, body: chosen }) => {
      const sent = parameters.map((parameter, index) => [parameter, pairs[index] ?? null] as const);
      if (sent.some(([{ required }, each]) => required && each === null) || (isBodyRequired && chosen === null))
        return null;
      const present = sent.flatMap(([parameter, each]): [Parameter, [string, string][]][] =>
        each === null || each.length === 0 ? [] : [[parameter, each]],
      );
      return { parameters: new Map(present), body: chosen, withCredentials: true };
    });
}

/** What may be sent for a parameter; null: nothing. */
function pairsOf(
  making: Making,
  parameter: Parameter,
  fixed: string | undefined,
): fc.Arbitrary<[string, string][] | null> {
  if (fixed !== undefined) return fc.constant([[parameter.name, fixed]]);
  const pairs = withExamples(valuesOf(making, parameter.schema), parameter.examples).map((value) => {
    const written = writeParameter(parameter, value);
    const fits = written.every(([, text]) => isSendable(parameter.in, text)) && isAllowed(parameter, written);
    return fits ? written : null;
  });
  return parameter.required ? pairs : fc.option(pairs, { nil: null });
}

function withExamples(values: fc.Arbitrary<unknown>, examples: readonly unknown[]): fc.Arbitrary<unknown> {
  if (examples.length === 0) return values;
  return fc.oneof({ weight: 3, arbitrary: values }, { weight: 1, arbitrary: fc.constantFrom(...examples) });
}

function bodiesOf(making: Making, mediaType: string, content: Content): fc.Arbitrary<Draft['body']> {
  const sent = mediaType.replace('/*', '/plain').replace('*/', 'text/');
  if (isJson(mediaType)) {
    return withExamples(valuesOf(making, content.schema), content.examples).map((value) =>
      content.check(value).length === 0 ? { mediaType: sent, text: JSON.stringify(value), value } : null,
    );
  }
  const texts = content.examples.filter((each) => typeof each === 'string');
  const values = mediaType.startsWith('text/') ? valuesOf(making, content.schema) : fc.constantFrom(null, ...texts);
  return values.map((value) => (typeof value === 'string' ? { mediaType: sent, text: value, value } : null));
}
