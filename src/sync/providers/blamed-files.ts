/** Excludes binary, generated and vendored files from blame. */

const DIRECTORIES = new Set([
  'node_modules',
  'vendor',
  '.git',
  'dist',
  'build',
  'target',
  'bin',
  'obj',
  '__pycache__',
  '.venv',
  'venv',
]);

const BINARY_EXTENSIONS = new Set([
  '7z',
  'avi',
  'bin',
  'bmp',
  'class',
  'dll',
  'dylib',
  'eot',
  'exe',
  'flac',
  'gif',
  'gz',
  'ico',
  'jar',
  'jpeg',
  'jpg',
  'mov',
  'mp3',
  'mp4',
  'o',
  'ogg',
  'otf',
  'pdf',
  'png',
  'psd',
  'pyc',
  'rar',
  'so',
  'tar',
  'tgz',
  'tiff',
  'ttf',
  'wasm',
  'wav',
  'webm',
  'webp',
  'woff',
  'woff2',
  'xz',
  'zip',
]);

/** Whether the file at a path is blamed; the path uses slashes. */
export function isBlamed(path: string): boolean {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  if (parts.some((part) => DIRECTORIES.has(part))) return false;
  const dot = name.lastIndexOf('.');
  return dot < 0 || !BINARY_EXTENSIONS.has(name.slice(dot + 1).toLowerCase());
}
