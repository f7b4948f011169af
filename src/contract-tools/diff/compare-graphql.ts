import { isDeepStrictEqual } from 'node:util';
import {
  buildSchema,
  findBreakingChanges,
  findDangerousChanges,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  getNamedType,
  print,
  printType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import type { Change, Side } from './change.js';

/** Enums of error codes. A new code is additive: clients must handle errors that they do not know. */
const errorEnums = new Set(['ErrorCode']);

/**
 * Lists how two versions of a schema differ. graphql-js finds what breaks; asked the other way round it finds what
 * is new, because what breaks on the way back was added on the way there.
 */
export function compareSchemaTexts(beforeText: string, afterText: string): Change[] {
  const [before, after] = [buildSchema(beforeText), buildSchema(afterText)];
  const forward = [...findBreakingChanges(before, after), ...findDangerousChanges(before, after)]
    .filter(isOfInterest)
    .map(({ type, description }): Change => {
      const additive = ['OPTIONAL_INPUT_FIELD_ADDED', 'OPTIONAL_ARG_ADDED', 'IMPLEMENTED_INTERFACE_ADDED'];
      return {
        class: additive.includes(type) ? 'additive' : 'breaking',
        side: sideOf(type, description, [before, after]),
        place: placeOf(description),
        what: description,
      };
    });
  const known = new Set(forward.map(({ place }) => place));
  const backward = findBreakingChanges(after, before)
    .filter((each) => isOfInterest(each) && !known.has(placeOf(each.description)))
    .map(({ type, description }): Change => ({
      class: 'additive',
      side: sideOf(type, description, [before, after]),
      place: placeOf(description),
      what: `new, or may be left out now (seen backwards: ${description})`,
    }));
  const changes = [...forward, ...backward, ...compareEnums(before, after), ...compareDefaults(before, after)];
  return [...changes, ...compareWords(before, after, changes), ...compareDirectives(before, after)];
}

/** Enums are compared by their uses. A scalar such as `Float` comes and leaves with its first and last use. */
function isOfInterest({ type, description }: { readonly type: string; readonly description: string }): boolean {
  return !type.startsWith('VALUE_') && !description.startsWith('Standard scalar');
}

/** The first coordinate in a description of graphql-js, such as `Query.catalog`. */
function placeOf(description: string): string {
  const union = /(?:to|from) union type (\w+)/.exec(description)?.[1];
  return union ?? /\b[A-Z@]\w*(?:\.\w+)?(?:\(\w+:?\))?/.exec(description.replace(/^(?:A|An|The)\b/, ''))?.[0] ?? '';
}

function sideOf(type: string, description: string, schemas: readonly GraphQLSchema[]): Side {
  if (/ARG|INPUT/.test(type)) return 'request';
  if (/^TYPE_(?:REMOVED|CHANGED_KIND)$|DIRECTIVE/.test(type)) return 'contract';
  const name = placeOf(description).split('.')[0] ?? '';
  return schemas.some((schema) => isInputObjectType(schema.getType(name))) ? 'request' : 'reply';
}

/** An enum counts on each side where it is used: a new value is more for requests, and unknown to readers of replies. */
function compareEnums(before: GraphQLSchema, after: GraphQLSchema): Change[] {
  const changes: Change[] = [];
  for (const type of typesOf(after).filter(isEnumType)) {
    const old = before.getType(type.name);
    if (!isEnumType(old)) continue;
    const [was, is] = [old, type].map((each) => each.getValues().map(({ name }) => name));
    const gone = was?.filter((each) => is?.includes(each) !== true) ?? [];
    const come = is?.filter((each) => was?.includes(each) !== true) ?? [];
    const sides = usesOf(after, type.name);
    for (const side of sides) {
      const place = type.name;
      for (const name of gone) {
        changes.push({ class: side === 'request' ? 'breaking' : 'additive', side, place, what: `${name} is gone` });
      }
      for (const name of come) {
        const additive = side === 'request' || errorEnums.has(type.name);
        changes.push({ class: additive ? 'additive' : 'breaking', side, place, what: `${name} is new` });
      }
    }
  }
  return changes;
}

interface Input {
  readonly place: string;
  readonly isField: boolean;
  readonly isRequired: boolean;
  readonly initial: unknown;
}

/** Defaults of which graphql-js reports nothing: those of input fields, and one where an argument had none. */
function compareDefaults(before: GraphQLSchema, after: GraphQLSchema): Change[] {
  const old = inputsOf(before);
  return [...inputsOf(after)].flatMap(([name, { place, isField, isRequired, initial }]): Change[] => {
    const was = old.get(name);
    if (was === undefined || isDeepStrictEqual(was.initial, initial)) return [];
    if (!isField && was.initial !== undefined) return [];
    const change = { side: 'request', place, what: `the default of ${name} changed` } as const;
    // What had to be sent may be left out now.
    return [{ ...change, class: was.isRequired && !isRequired ? 'additive' : 'breaking' }];
  });
}

/** Arguments and input fields, as `Query.books(first:)` and `Filter.name`. */
function inputsOf(schema: GraphQLSchema): Map<string, Input> {
  const found = new Map<string, Input>();
  for (const type of typesOf(schema)) {
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) {
        const place = `${type.name}.${field.name}`;
        found.set(place, {
          place,
          isField: true,
          isRequired: isRequiredInputField(field),
          initial: field.defaultValue,
        });
      }
    }
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const { name, args } of Object.values(type.getFields())) {
      const place = `${type.name}.${name}`;
      for (const each of args) {
        const isRequired = isRequiredArgument(each);
        found.set(`${place}(${each.name}:)`, { place, isField: false, isRequired, initial: each.defaultValue });
      }
    }
  }
  return found;
}

/** Where an enum is used; one that no field has, such as the codes in `extensions`, is a matter of replies. */
function usesOf(schema: GraphQLSchema, name: string): readonly ('request' | 'reply')[] {
  const uses = new Set<'request' | 'reply'>();
  for (const type of typesOf(schema)) {
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) {
        if (getNamedType(field.type).name === name) uses.add('request');
      }
    }
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (getNamedType(field.type).name === name) uses.add('reply');
      if (field.args.some(({ type: of }) => getNamedType(of).name === name)) uses.add('request');
    }
  }
  return uses.size === 0 ? ['reply'] : [...uses];
}

/** Types that differ in descriptions and deprecations alone. */
function compareWords(before: GraphQLSchema, after: GraphQLSchema, found: readonly Change[]): Change[] {
  return typesOf(after).flatMap((type): Change[] => {
    const old = before.getType(type.name);
    if (old === undefined || printType(old) === printType(type)) return [];
    if (found.some(({ place }) => place.split('.')[0] === type.name)) return [];
    return [{ class: 'neutral', side: 'contract', place: type.name, what: 'descriptions or deprecations changed' }];
  });
}

/** Directives on types, such as the statuses of an error. They are part of the contract: another one is breaking. */
function compareDirectives(before: GraphQLSchema, after: GraphQLSchema): Change[] {
  const directivesOf = (type: GraphQLNamedType): string =>
    [type.astNode, ...type.extensionASTNodes].flatMap((node) => node?.directives?.map(print) ?? []).join(' ');
  return typesOf(after).flatMap((type): Change[] => {
    const old = before.getType(type.name);
    if (old === undefined || directivesOf(old) === directivesOf(type)) return [];
    const what = `${directivesOf(old) || 'nothing'} became ${directivesOf(type) || 'nothing'}`;
    return [{ class: 'breaking', side: 'reply', place: type.name, what }];
  });
}

function typesOf(schema: GraphQLSchema): GraphQLNamedType[] {
  return Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
}
