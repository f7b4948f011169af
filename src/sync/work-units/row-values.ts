/** Reads the values of rows. Columns are typed, so a value of the wrong type is a bug. */
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

/** The texts of a list; other items are skipped. */
export function textsOf(row: AnyRow, column: string): readonly string[] {
  const value = row[column];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
