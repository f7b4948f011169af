import fc from 'fast-check';
import { isJson } from '../requests/check-request.js';
import { isAllowed } from '../requests/parameter-values.js';
import type { Content, Parameter } from '../requests/read-requests.js';
import { isSendable, type Draft, type Violation } from './draft.js';
import { brokenBy, rulesOf, type Rule } from './spoil.js';
import type { Subject } from './subject.js';

/** A request that the contract forbids, and why. */
export interface ForbiddenDraft {
  readonly draft: Draft;
  readonly violation: Violation;
}

/** Changes an allowed draft so that it is forbidden; null where it cannot. */
export type Spoil = (draft: Draft) => ForbiddenDraft | null;

/** Ways to make a request forbidden: one for each rule of the operation, with its variants. */
export function spoilers(subject: Subject): fc.Arbitrary<Spoil>[] {
  const { parameters, body, security } = subject.documented;
  const ofJson = [...(body?.contents ?? [])].filter(([mediaType]) => isJson(mediaType));
  return [
    ...(security.length > 0 ? [fc.constant(withoutCredentials)] : []),
    ...parameters.filter((each) => each.required && each.in !== 'path').map((each) => fc.constant(without(each))),
    ...parameters.flatMap((each) => withWrongParameter(subject, each)),
    ...(body?.required === true ? [fc.constant(withoutBody)] : []),
    ...(body === null || body.contents.has('*/*') ? [] : [fc.constant(withOtherMediaType)]),
    ...ofJson.flatMap(([mediaType, content]) => [
      withBrokenJson(mediaType),
      ...rulesOf(subject.making.document, content.schema).map((rule) => withWrongBody(rule, content)),
    ]),
  ];
}

function because(text: string, rule = text): Violation {
  return { rule, text };
}

function without(parameter: Parameter): Spoil {
  return (draft) => ({
    draft: { ...draft, parameters: new Map([...draft.parameters].filter(([each]) => each !== parameter)) },
    violation: because(`the ${parameter.in} parameter ${parameter.name} is missing`),
  });
}

/** Texts that are wrong for most parameters. */
const usuallyWrong = ['not-a-value', '-1', '1.5', '99999999999999999999', 'true', 'null', 'é', 'a'.repeat(300), '\0'];

function withWrongParameter({ making }: Subject, parameter: Parameter): fc.Arbitrary<Spoil>[] {
  const { name, schema, style, in: location } = parameter;
  const sentAs = style === 'deepObject' ? `${name}[undocumented]` : name;
  const isWrong = (text: string): boolean =>
    text !== '' && isSendable(location, text) && !isAllowed(parameter, [[sentAs, text]]);
  const limits = rulesOf(making.document, schema)
    .filter(({ path }) => path.length === 0)
    .flatMap((rule) => [brokenBy(rule, 'a', 0), brokenBy(rule, 'a', 1)])
    .flatMap((value) => (typeof value === 'string' || typeof value === 'number' ? [String(value)] : []));
  // Each limit is tried; of the others, some.
  const sets = [...new Set(limits.filter(isWrong))].map((text) => [text]);
  const others = usuallyWrong.filter(isWrong);
  const violation = because(`the ${location} parameter ${name} is not as documented`);
  return [...sets, ...(others.length > 0 ? [others] : [])].map((texts) =>
    fc.constantFrom(...texts).map((text): Spoil => (draft) => ({
      draft: { ...draft, parameters: new Map([...draft.parameters, [parameter, [[sentAs, text]]]]) },
      violation,
    })),
  );
}

const withoutBody: Spoil = (draft) => ({ draft: { ...draft, body: null }, violation: because('there is no body') });

const withOtherMediaType: Spoil = (draft) =>
  draft.body === null
    ? null
    : {
        draft: { ...draft, body: { ...draft.body, mediaType: 'application/x-undocumented' } },
        violation: because('the media type of the body is not documented'),
      };

const withoutCredentials: Spoil = (draft) => ({
  draft: { ...draft, withCredentials: false },
  violation: because('there are no credentials'),
});

function withBrokenJson(mediaType: string): fc.Arbitrary<Spoil> {
  return fc.constantFrom('{', '[1,', 'nul', '{"a":1}}', '"').map((text): Spoil => (draft) => ({
    draft: { ...draft, body: { mediaType, text, value: undefined } },
    violation: because('the body is not JSON'),
  }));
}

function withWrongBody(rule: Rule, { check }: Content): fc.Arbitrary<Spoil> {
  return fc.nat({ max: rule.breaks.length - 1 }).map((pick): Spoil => (draft) => {
    if (draft.body === null || !isJson(draft.body.mediaType)) return null;
    const changed = brokenBy(rule, draft.body.value, pick);
    if (changed === undefined) return null;
    const [fault] = check(changed);
    if (fault === undefined) return null;
    const { instancePath, keyword, message = 'is wrong' } = fault;
    const where = `the body ${instancePath.replaceAll(/\/\d+/g, '/*')}`.trim();
    const body = { ...draft.body, text: JSON.stringify(changed), value: changed };
    return { draft: { ...draft, body }, violation: because(`${where} ${message}`, `${where} ${keyword}`) };
  });
}
