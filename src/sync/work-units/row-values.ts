/** Reading the values of rows: they come from a database, whose columns are typed, so that a wrong one is a fault. */
import type { AnyRow } from '../records.js';

export function textOf(row: AnyRow, column: string): string {
  return textOrNull(row, column) ?? '';
}

export function textOrNull(row: AnyRow, column: string): string | null {
  const value = row[column] ?? null;
  if (value === null || typeof value === 'string') return value;
  throw new Error(`The column ${column} holds no text`);
}

export function numberOf(row: AnyRow, column: string): number {
  const value = numberOrNull(row, column);
  if (value === null) throw new Error(`The column ${column} is empty`);
  return value;
}

export function numberOrNull(row: AnyRow, column: string): number | null {
  const value = row[column] ?? null;
  if (value === null || typeof value === 'number') return value;
  throw new Error(`The column ${column} holds no number`);
}

/** The texts of a list; what else is in it is left out. */
export function textsOf(row: AnyRow, column: string): readonly string[] {
  const value = row[column];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
