import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  typeFromAST,
  valueFromASTUntyped,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Findings } from '../../src/contract-tools/gate/check-reply.js';
import type { Unit } from '../../src/contract-tools/gate/observations.js';
import { record } from '../../src/contract-tools/documents.js';

type Variables = Readonly<Record<string, unknown>>;

/** Checks that data are what an operation asks for: every field selected, no other, each of its type. */
export function checkData(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
  data: unknown,
): Findings {
  const units: Unit[] = [];
  const faults: string[] = [];

  const checkObject = (
    type: GraphQLObjectType,
    sets: readonly SelectionSetNode[],
    value: unknown,
    at: string,
  ): void => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      faults.push(`${at} is not an object`);
      return;
    }
    const fields = collect(document, sets, variables);
    const members = record(value);
    for (const name of Object.keys(members))
      if (!fields.has(name)) faults.push(`${at} has ${name}, which was not asked for`);
    for (const [name, nodes] of fields) {
      const field = fieldOf(schema, type, nodes[0]?.name.value ?? '');
      if (!(name in members)) faults.push(`${at}.${name} is missing`);
      else if (field === undefined) faults.push(`${at}.${name} is not in the schema`);
      else {
        if (!type.name.startsWith('__') && !field.name.startsWith('__')) units.push([type.name, 'fields', field.name]);
        const inner = nodes.flatMap(({ selectionSet }) => (selectionSet === undefined ? [] : [selectionSet]));
        checkValue(field.type, inner, members[name], `${at}.${name}`);
      }
    }
  };

  const checkValue = (type: GraphQLOutputType, sets: readonly SelectionSetNode[], value: unknown, at: string): void => {
    if (value === null) {
      if (isNonNullType(type)) faults.push(`${at} is null`);
      return;
    }
    const nullable = getNullableType(type);
    if (isListType(nullable)) {
      if (!Array.isArray(value)) faults.push(`${at} is not a list`);
      else
        value.forEach((item, index) => {
          checkValue(nullable.ofType, sets, item, `${at}[${index}]`);
        });
    } else if (isObjectType(nullable)) checkObject(nullable, sets, value, at);
    else {
      const fault = leafFault(getNamedType(type), value);
      if (fault !== null) faults.push(`${at} ${fault}`);
      else if (isEnumType(nullable) && !nullable.name.startsWith('__')) {
        units.push([nullable.name, 'in replies', JSON.stringify(value).slice(1, -1)]);
      }
    }
  };

  const root = schema.getQueryType();
  if (root == null) throw new Error('the schema has no queries');
  checkObject(root, [operation.selectionSet], data, 'data');
  return { units, faults: faults.slice(0, 5) };
}

/** What is wrong with an object that has to have every field of a type, and no other. */
export function valueFaults(type: GraphQLObjectType, value: unknown, at: string): string[] {
  if (typeof value !== 'object' || value === null) return [`${at} is not an object`];
  const members = record(value);
  const fields = type.getFields();
  const faults = Object.keys(members)
    .filter((name) => !(name in fields))
    .map((name) => `${at} has a member ${name}`);
  for (const field of Object.values(fields)) {
    const member = members[field.name];
    if (member === undefined) faults.push(`${at}.${field.name} is missing`);
    else if (member === null) {
      if (isNonNullType(field.type)) faults.push(`${at}.${field.name} is null`);
    } else {
      const fault = leafFault(getNamedType(field.type), member);
      if (fault !== null) faults.push(`${at}.${field.name} ${fault}`);
    }
  }
  return faults;
}

/** The arguments, input fields, defaults and enum values that an operation made use of. */
export function notedInputs(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Variables,
): Unit[] {
  const variables: Record<string, unknown> = { ...given };
  for (const { variable, defaultValue, type } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    if (!(name in variables) && defaultValue !== undefined) variables[name] = valueFromASTUntyped(defaultValue);
    // A list of one may be written without its brackets.
    if (typeFromAST(schema, type) === undefined) throw new Error(`the variable ${name} has no type`);
  }
  const units: Unit[] = [];
  const note = (type: GraphQLInputType, value: unknown): void => {
    if (value === null || value === undefined) return;
    if (Array.isArray(value)) {
      for (const item of value) note(getNamedType(type), item);
      return;
    }
    const named = getNamedType(type);
    if (isEnumType(named)) units.push([named.name, 'in requests', JSON.stringify(value).slice(1, -1)]);
    if (!isInputObjectType(named) || typeof value !== 'object') return;
    const members = record(value);
    for (const field of Object.values(named.getFields())) {
      const member = members[field.name];
      if (member !== undefined) {
        units.push([named.name, 'fields', field.name]);
        note(field.type, member);
      } else if (field.defaultValue !== undefined) {
        units.push([named.name, 'defaults', field.name]);
        note(field.type, field.defaultValue);
      }
    }
  };
  const root = schema.getQueryType();
  for (const [field] of collect(document, [operation.selectionSet], variables).values()) {
    const definition = root?.getFields()[field?.name.value ?? ''];
    for (const argument of field?.arguments ?? []) {
      const declared = definition?.args.find(({ name }) => name === argument.name.value);
      if (root == null || declared === undefined) continue;
      units.push([root.name, 'arguments', `${field?.name.value ?? ''}(${declared.name}:)`]);
      note(declared.type, valueFromASTUntyped(argument.value, variables));
    }
  }
  return units;
}

/** The fields of selection sets by their name in the reply, fragments spread out. */
function collect(
  document: DocumentNode,
  sets: readonly SelectionSetNode[],
  variables: Variables,
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const add = (set: SelectionSetNode): void => {
    for (const selection of set.selections) {
      if (isLeftOut(selection.directives ?? [], variables)) continue;
      if (selection.kind === Kind.FIELD) {
        const name = selection.alias?.value ?? selection.name.value;
        fields.set(name, [...(fields.get(name) ?? []), selection]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) add(selection.selectionSet);
      else {
        for (const definition of document.definitions) {
          const isIt = definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value;
          if (isIt) add(definition.selectionSet);
        }
      }
    }
  };
  sets.forEach(add);
  return fields;
}

function isLeftOut(directives: NonNullable<FieldNode['directives']>, variables: Variables): boolean {
  return directives.some(({ name, arguments: given }) => {
    const value: unknown = given?.[0] === undefined ? undefined : valueFromASTUntyped(given[0].value, variables);
    return (name.value === 'skip' && value === true) || (name.value === 'include' && value === false);
  });
}

function fieldOf(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return type.getFields()[name];
}

function leafFault(type: GraphQLNamedType, value: unknown): string | null {
  if (isEnumType(type)) return type.getValue(String(value)) == null ? `is not a valid ${type.name}` : null;
  const right = {
    Int: Number.isInteger(value),
    Float: Number.isFinite(value),
    String: typeof value === 'string',
    Boolean: typeof value === 'boolean',
    Date: typeof value === 'string' && isDay(value),
  }[String(type)];
  if (right === undefined) throw new Error(`the scalar ${String(type)} is not known here`);
  return right ? null : `is not a valid ${String(type)}`;
}

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text;
}
