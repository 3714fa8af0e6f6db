/** References to files as SARIF has them: URIs, whatever the system calls the file. */

/** How the system names files. */
export interface FileNames {
  /** Whether `\` separates folders, and a drive begins a path. */
  readonly windows: boolean;
  /** The working directory, absolute. */
  readonly folder: string;
}

/** Half of a surrogate pair, which a file name may contain, has no encoding. */
const encoded = (path: string): string => path.toWellFormed().split('/').map(encodeURIComponent).join('/');

const isAbsolute = (path: string, windows: boolean): boolean => path.startsWith('/') || (windows && /^[a-z]:\//i.test(path));

/** Returns `path` as it is from `folder`; undefined for a path that is not below it. */
function below(folder: string, path: string, windows: boolean): string | undefined {
  const comparable = (text: string): string => (windows ? text.toLowerCase() : text);
  const start = folder.endsWith('/') ? folder : `${folder}/`;
  return comparable(path).startsWith(comparable(start)) ? path.slice(start.length) : undefined;
}

/** Returns a `file:` URI. A path of Windows without a drive begins with the name of a server. */
function fileUri(path: string): string {
  const [, drive, rest = ''] = /^([a-z]:)(\/.*)$/i.exec(path) ?? [];
  if (drive !== undefined) return `file:///${drive}${encoded(rest)}`;
  return path.startsWith('//') ? `file:${encoded(path)}` : `file://${encoded(path)}`;
}

/**
 * Returns the URI of a file: relative to the working directory with `/` between folders, so that code hosts find it in the repository. A file
 * elsewhere has a `file:` URI, and a URL stays as it is.
 *
 * @param place as the user has named the file
 * @see SARIF 2.1.0, 3.4.4 and 3.10.1
 */
export function artifactUri(place: string, { windows, folder }: FileNames): string {
  if (/^https?:\/\//.test(place)) return place;
  const slashed = (path: string): string => (windows ? path.replaceAll('\\', '/') : path);
  const path = slashed(place).replace(/^(\.\/+)+(?=.)/, '');
  if (!isAbsolute(path, windows)) return encoded(path);
  const inside = below(slashed(folder), path, windows);
  return inside === undefined ? fileUri(path) : encoded(inside);
}
