import fc from 'fast-check';
import { isJson } from '../requests/check-request.js';
import { isAllowed, writeParameter } from '../requests/parameter-values.js';
import type { Content, Parameter } from '../requests/read-requests.js';
import { valuesOf, type Making } from '../values/arbitrary.js';
import { isSendable, type Draft } from './draft.js';
import { edgesOf } from './edges.js';
import type { Subject } from './subject.js';

/** Names and values that are sent for a parameter, none where it is absent; null: not made in this attempt. */
type Pairs = [string, string][] | null;
/** A body; null: not made in this attempt. */
type Body = Draft['body'] | 'absent';
type Drafts = fc.Arbitrary<Draft | null>;

/** Drafts of requests that the contract allows; null where none could be made in this attempt. */
export function allowedDrafts(subject: Subject): Drafts {
  const { parameters, body } = subject.documented;
  const pairs = parameters.map((parameter) => {
    const made = pairsOf(subject, parameter);
    const isSent = parameter.required || subject.fixed.has(parameter.name);
    return isSent ? made : fc.option(made, { nil: null }).map((each) => each ?? []);
  });
  const bodies = bodiesOf(subject);
  const isRequired = body?.required === true;
  return draftsOf(
    subject,
    pairs,
    isRequired ? bodies : fc.option(bodies, { nil: null }).map((each) => each ?? 'absent'),
  );
}

/**
 * The requests that every run sends to an operation: one without what is optional, then one for each edge of each
 * parameter and body, with nothing else that is optional. Each entry has the drafts for one of them.
 */
export function plannedDrafts({ making: sometimes, ...operation }: Subject): Drafts[] {
  const making: Making = { ...sometimes, optional: 'none', made: new WeakMap() };
  const subject = { ...operation, making };
  const { parameters, body } = operation.documented;
  const isFixed = ({ name }: Parameter): boolean => operation.fixed.has(name);
  const pairs = parameters.map((each) =>
    each.required || isFixed(each) ? pairsOf(subject, each) : fc.constant<Pairs>([]),
  );
  const bodies = body?.required === true ? bodiesOf(subject) : fc.constant<Body>('absent');
  const atEdges = (schema: unknown, drafts: (values: fc.Arbitrary<unknown>) => Drafts): Drafts[] =>
    edgesOf(making, schema).map((values) => (values === null ? fc.constant(null) : drafts(values)));
  return [
    draftsOf(subject, pairs, bodies),
    ...parameters.flatMap((parameter, index) =>
      isFixed(parameter)
        ? []
        : atEdges(parameter.schema, (values) =>
            draftsOf(subject, pairs.with(index, writtenPairs(parameter, values)), bodies),
          ),
    ),
    ...[...(body?.contents ?? [])]
      .filter(([mediaType]) => isMadeFromSchema(mediaType))
      .flatMap(([mediaType, content]) =>
        atEdges(content.schema, (values) => draftsOf(subject, pairs, writtenBodies(mediaType, content, values))),
      ),
  ];
}

/** Drafts with these parameters, in the order of the contract, and with these bodies. */
function draftsOf(
  { documented: { parameters } }: Subject,
  pairs: readonly fc.Arbitrary<Pairs>[],
  bodies: fc.Arbitrary<Body>,
): Drafts {
  return fc.record({ sent: fc.tuple(...pairs), body: bodies }).map(({ sent, body }) => {
    if (sent.includes(null) || body === null) return null;
    const present = parameters.flatMap((parameter, index): [Parameter, [string, string][]][] => {
      const own = sent[index] ?? [];
      return own.length === 0 ? [] : [[parameter, own]];
    });
    return { parameters: new Map(present), body: body === 'absent' ? null : body, withCredentials: true };
  });
}

function pairsOf({ making, fixed }: Subject, parameter: Parameter): fc.Arbitrary<Pairs> {
  const given = fixed.get(parameter.name);
  if (given !== undefined) return fc.constant([[parameter.name, given]]);
  return writtenPairs(parameter, withExamples(valuesOf(making, parameter.schema), parameter.examples));
}

function writtenPairs(parameter: Parameter, values: fc.Arbitrary<unknown>): fc.Arbitrary<Pairs> {
  return values.map((value) => {
    const written = writeParameter(parameter, value);
    const fits = written.every(([, text]) => isSendable(parameter.in, text)) && isAllowed(parameter, written);
    return fits ? written : null;
  });
}

function withExamples(values: fc.Arbitrary<unknown>, examples: readonly unknown[]): fc.Arbitrary<unknown> {
  if (examples.length === 0) return values;
  return fc.oneof({ weight: 3, arbitrary: values }, { weight: 1, arbitrary: fc.constantFrom(...examples) });
}

function bodiesOf({ documented, making }: Subject): fc.Arbitrary<Body> {
  const contents = [...(documented.body?.contents ?? [])].map(([mediaType, content]) => {
    const texts = content.examples.filter((each) => typeof each === 'string');
    if (!isMadeFromSchema(mediaType)) return writtenBodies(mediaType, content, fc.constantFrom(null, ...texts));
    const values = valuesOf(making, content.schema);
    return writtenBodies(mediaType, content, isJson(mediaType) ? withExamples(values, content.examples) : values);
  });
  return contents.length === 0 ? fc.constant(null) : fc.oneof(...contents);
}

/** Whether bodies of a media type are made from its schema; the others are sent only from examples. */
function isMadeFromSchema(mediaType: string): boolean {
  return isJson(mediaType) || mediaType.startsWith('text/');
}

function writtenBodies(mediaType: string, content: Content, values: fc.Arbitrary<unknown>): fc.Arbitrary<Body> {
  const sent = mediaType.replace('/*', '/plain').replace('*/', 'text/');
  const isOfJson = isJson(mediaType);
  return values.map((value) => {
    if (isOfJson && content.check(value).length === 0) return { mediaType: sent, text: JSON.stringify(value), value };
    return !isOfJson && typeof value === 'string' ? { mediaType: sent, text: value, value } : null;
  });
}
