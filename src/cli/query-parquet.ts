/** Writes the rows of a query as Parquet, a row group at a time, so that long exports need little memory. */
import { buildSchema, parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { schemaText } from '../../generated/graphql/schema.js';
import { columnsOf } from './query-formats.js';
import type { Json, JsonObject } from './query-rows.js';
import { UsageError } from './usage-error.js';

/** Rows of a group: few enough for memory, and enough for a file that reads fast. */
const GROUP = 10_000;

type ColumnType = 'text' | 'integer' | 'number' | 'boolean' | 'date';

const TYPES: Readonly<Record<ColumnType, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT32' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  date: { type: 'INT32', converted_type: 'DATE' },
};

/** The types of fields by their names in a result; a name with several types is text. */
export function fieldTypes(query: string): ReadonlyMap<string, ColumnType> {
  const types = new Map<string, ColumnType>();
  const info = new TypeInfo(buildSchema(schemaText));
  visit(
    parse(query),
    visitWithTypeInfo(info, {
      Field: ({ alias, name }) => {
        const key = (alias ?? name).value;
        const type = columnType(String(info.getType()));
        types.set(key, (types.get(key) ?? type) === type ? type : 'text');
      },
    }),
  );
  return types;
}

/** @param type as a schema writes it, such as `Int!` */
function columnType(type: string): ColumnType {
  // Lists and objects within a cell are JSON.
  switch (type.replace(/!$/, '')) {
    case 'Int':
      return 'integer';
    case 'Float':
      return 'number';
    case 'Boolean':
      return 'boolean';
    case 'Date':
      return 'date';
    default:
      return 'text';
  }
}

export interface ParquetFile {
  /** @returns false when the reader has closed the pipe */
  add(rows: readonly JsonObject[]): Promise<boolean>;
  /** Writes the rest and the footer, without which no program reads the file. */
  end(): Promise<void>;
}

/**
 * Begins a file. Its columns are those of the first rows.
 *
 * @param write returns false when the reader has closed the pipe
 */
export function openParquet(query: string, write: (bytes: Uint8Array) => Promise<boolean>): ParquetFile {
  const types = fieldTypes(query);
  const bytes = new ByteWriter();
  let waiting: JsonObject[] = [];
  let file: { readonly writer: ParquetWriter; readonly columns: readonly Column[] } | undefined;

  const flush = async (): Promise<boolean> => {
    const chunk = bytes.getBytes().slice();
    // The writer counts the offset of the file separately.
    bytes.index = 0;
    return write(chunk);
  };
  const writeGroup = async (): Promise<boolean> => {
    const rows = waiting;
    waiting = [];
    if (file === undefined) {
      const columns = columnsOf(rows).map((name) => ({ name, type: types.get(lastPart(name)) ?? 'text' }) as const);
      if (columns.length === 0) throw new UsageError('the result has no rows, and Parquet needs columns');
      file = {
        columns,
        writer: new ParquetWriter({ writer: bytes, schema: schemaOf(columns), createdBy: 'plumbline' }),
      };
    }
    const columnData = file.columns.map(({ name, type }) => ({
      name,
      data: rows.map((row) => cell(type, row[name] ?? null)),
    }));
    await file.writer.write({ columnData, rowGroupSize: GROUP });
    return flush();
  };
  return {
    add: async (rows) => {
      waiting.push(...rows);
      return waiting.length < GROUP ? true : writeGroup();
    },
    end: async () => {
      if (waiting.length > 0 || file === undefined) await writeGroup();
      await file?.writer.finish();
      await flush();
    },
  };
}

interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

function schemaOf(columns: readonly Column[]): SchemaElement[] {
  return [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, type }): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...TYPES[type] })),
  ];
}

/** The field of a column such as `statistics.median`. */
function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function cell(type: ColumnType, value: Json): string | number | boolean | Date | null {
  if (value === null) return null;
  if (type === 'date') return typeof value === 'string' ? new Date(`${value}T00:00:00Z`) : null;
  if (type === 'text') return typeof value === 'string' ? value : JSON.stringify(value);
  // A result has the types of the schema.
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
