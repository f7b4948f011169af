import { AGGREGATE_PATH, type Row } from '../records.js';

/** A commit without files: its sum of 0 lines tells it from commits whose statistics are not read. */
export function noChanges(hash: string): Row<'git_commit_stats'> {
  return {
    commit_hash: hash,
    file_path: AGGREGATE_PATH,
    old_path: null,
    additions: 0,
    deletions: 0,
    old_file_mode: null,
    new_file_mode: null,
  };
}
