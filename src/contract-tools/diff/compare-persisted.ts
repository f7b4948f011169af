import { Kind, parse, print, type DocumentNode, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import type { Change } from './change.js';

/** Lists how the persisted queries differ: clients send an id and variables, and read what the document selects. */
export function comparePersisted(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): Change[] {
  const changes: Change[] = [];
  for (const [id, text] of before) {
    const now = after.get(id);
    const place = `persisted query ${id}`;
    if (now === undefined) changes.push({ class: 'breaking', side: 'contract', place, what: 'the query is gone' });
    else if (now !== text) changes.push(...compareQueries(place, parse(text), parse(now), now !== text));
  }
  for (const id of after.keys()) {
    const place = `persisted query ${id}`;
    if (!before.has(id)) changes.push({ class: 'additive', side: 'contract', place, what: 'a new query' });
  }
  return changes;
}

function compareQueries(place: string, before: DocumentNode, after: DocumentNode, differs: boolean): Change[] {
  const changes: Change[] = [...compareVariables(place, before, after)];
  const [earlier, now] = [selections(before), selections(after)];
  for (const path of [...earlier.keys()].filter((each) => !now.has(each))) {
    changes.push({ class: 'breaking', side: 'reply', place, what: `${path} is gone` });
  }
  for (const path of [...now.keys()].filter((each) => !earlier.has(each))) {
    changes.push({ class: 'additive', side: 'reply', place, what: `${path} is new` });
  }
  for (const [path, field] of now) {
    const was = earlier.get(path);
    if (was === undefined || was === field) continue;
    changes.push({
      class: 'breaking',
      side: 'reply',
      place,
      what: `${path} is computed otherwise: ${was} became ${field}`,
    });
  }
  if (changes.length === 0 && differs)
    changes.push({ class: 'neutral', side: 'contract', place, what: 'its text changed' });
  return changes;
}

function compareVariables(place: string, before: DocumentNode, after: DocumentNode): Change[] {
  const [earlier, now] = [variables(before), variables(after)];
  const changes: Change[] = [];
  // A server ignores variables that a query does not declare, but the client meant something by them.
  for (const name of earlier.keys()) {
    if (!now.has(name)) changes.push({ class: 'breaking', side: 'request', place, what: `$${name} is gone` });
  }
  for (const [name, { text, required }] of now) {
    const was = earlier.get(name);
    if (was === undefined) {
      changes.push({ class: required ? 'breaking' : 'additive', side: 'request', place, what: `$${name} is new` });
    } else if (was.text !== text) {
      // `String!` to `String` accepts more; any other change may refuse a value that was accepted.
      const additive = was.type === `${now.get(name)?.type ?? ''}!` && was.initial === now.get(name)?.initial;
      const what = `$${name}: ${was.text} became ${text}`;
      changes.push({ class: additive ? 'additive' : 'breaking', side: 'request', place, what });
    }
  }
  return changes;
}

interface Variable {
  readonly text: string;
  readonly type: string;
  readonly initial: string;
  readonly required: boolean;
}

function variables(document: DocumentNode): Map<string, Variable> {
  return new Map(
    operationsOf(document).flatMap(({ variableDefinitions = [] }) =>
      variableDefinitions.map((definition): [string, Variable] => {
        const type = print(definition.type);
        const initial = definition.defaultValue === undefined ? '' : print(definition.defaultValue);
        const text = `${type}${initial === '' ? '' : ` = ${initial}`}`;
        return [
          definition.variable.name.value,
          { text, type, initial, required: type.endsWith('!') && initial === '' },
        ];
      }),
    ),
  );
}

/** Every path of a reply, with the field and arguments behind it; fragments are written out. */
function selections(document: DocumentNode): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (set: SelectionSetNode | undefined, prefix: string): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) {
        const path = `${prefix}/${selection.alias?.value ?? selection.name.value}`;
        const { name, arguments: given = [], directives = [] } = selection;
        found.set(path, [name.value, ...given.map(print), ...directives.map(print)].join(' '));
        walk(selection.selectionSet, path);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const on = selection.typeCondition?.name.value;
        walk(selection.selectionSet, on === undefined ? prefix : `${prefix}<${on}>`);
      } else {
        const fragment = document.definitions.find(
          (each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === selection.name.value,
        );
        if (fragment?.kind === Kind.FRAGMENT_DEFINITION) {
          walk(fragment.selectionSet, `${prefix}<${fragment.typeCondition.name.value}>`);
        }
      }
    }
  };
  for (const operation of operationsOf(document)) walk(operation.selectionSet, '');
  return found;
}

function operationsOf(document: DocumentNode): OperationDefinitionNode[] {
  return document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
}
