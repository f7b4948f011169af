/** Reads Parquet with another implementation than the one that writes it: pyarrow, of the Python that TEST_PYARROW names. */
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

const python = process.env['TEST_PYARROW'] ?? 'python3';

/** Why it is missing; null: it is not. */
export const pyarrowMissing: string | null = why();

function why(): string | null {
  try {
    execFileSync(python, ['-c', 'import pyarrow.parquet'], { stdio: 'ignore' });
    return null;
  } catch {
    return `${python} has no pyarrow: install it in a virtual environment, and name its Python in TEST_PYARROW`;
  }
}

const SCRIPT = `
import json, sys, pyarrow.parquet as parquet
file = parquet.ParquetFile(sys.argv[1])
table = file.read()
print(json.dumps({
  "groups": file.num_row_groups,
  "types": {field.name: str(field.type) for field in table.schema},
  "rows": table.to_pylist(),
}, default=str))`;

export interface ParquetContent {
  /** The number of row groups. */
  readonly groups: number;
  /** By column, in the words of Arrow. */
  readonly types: Readonly<Record<string, string>>;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

export async function readParquet(file: string): Promise<ParquetContent> {
  const { stdout } = await promisify(execFile)(python, ['-c', SCRIPT, file], { maxBuffer: 256 * 1024 * 1024 });
  const content: ParquetContent = JSON.parse(stdout);
  return content;
}
