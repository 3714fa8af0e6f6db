/** Objects of `-f` and `-k`: files, folders, URLs and stdin, with many documents each. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FlagValues } from '../flag-values.ts';
import { UserError } from '../failure.ts';
import { parseDocuments } from '../objects/documents.ts';
import type { Untyped } from '../objects/untyped.ts';
import type { Session } from '../session.ts';

const isManifest = (name: string): boolean => /\.(json|yaml|yml)$/.test(name);

function filesOf(path: string, recursive: boolean): readonly string[] {
  return readdirSync(path, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) return recursive ? filesOf(inner, true) : [];
      return isManifest(entry.name) ? [inner] : [];
    });
}

async function readUrl(url: string, signal: AbortSignal): Promise<string> {
  const answer = await fetch(url, { signal }).catch((error: Error) => {
    throw new UserError(`unable to read URL ${JSON.stringify(url)}: ${error.message}`);
  });
  if (!answer.ok)
    throw new UserError(
      `unable to read URL ${JSON.stringify(url)}, server reported ${answer.status} ${answer.statusText}, status code=${answer.status}`,
    );
  return answer.text();
}

/** A text of a file, a URL, stdin or a kustomization, and the name of its origin. */
export interface PlacedText {
  readonly place: string;
  readonly text: string;
}

function readPath(path: string, recursive: boolean): readonly PlacedText[] {
  try {
    const paths = statSync(path).isDirectory() ? filesOf(path, recursive) : [path];
    if (paths.length === 0) throw new UserError(`error reading [${path}]: recognized file extensions are [.json .yaml .yml]`);
    return paths.map((place) => ({ place, text: readFileSync(place, 'utf8') }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new UserError(`the path ${JSON.stringify(path)} does not exist`);
  }
}

/** Whether the command line names files. */
export const hasFiles = (flags: FlagValues): boolean => flags.list('filename').length > 0 || flags.text('kustomize') !== '';

/** The texts of `-f` and `-k`, in order. */
export async function readTexts(flags: FlagValues, session: Session): Promise<readonly PlacedText[]> {
  const folder = flags.text('kustomize');
  if (folder !== '' && flags.list('filename').length > 0) throw new UserError('only one of -f or -k can be specified');
  if (folder !== '') {
    const { code, stdout } = await session.kubectl(['kustomize', folder], { capture: true });
    if (code !== 0) throw new UserError(`kustomize failed with exit code ${code}`, code);
    return [{ place: folder, text: stdout }];
  }
  const found: PlacedText[] = [];
  for (const path of flags.list('filename')) {
    if (path === '-') found.push({ place: 'STDIN', text: await session.stdin() });
    else if (/^https?:\/\//.test(path)) found.push({ place: path, text: await readUrl(path, session.signal) });
    else found.push(...readPath(path, flags.bool('recursive')));
  }
  return found;
}

/** All objects of the files, lists taken apart, in order. */
export async function readFiles(flags: FlagValues, session: Session): Promise<readonly Untyped[]> {
  const found = (await readTexts(flags, session)).flatMap(({ text, place }) => parseDocuments(text, place));
  // An empty kustomization is no mistake of the command line.
  if (found.length === 0 && flags.text('kustomize') === '') throw new UserError('no objects passed');
  return found;
}
