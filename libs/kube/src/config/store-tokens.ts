/** Reads and writes the tokens of an `auth-provider` in its kubeconfig, while other programs may do the same. */
import { chmod, chown, open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, memberAt } from '@kruise/objects';
import { isAlias, isCollection, parseDocument, type Document } from 'yaml';
import type { OidcConfig } from './cluster-config.ts';

const configPath = ['user', 'auth-provider', 'config'] as const;

/** kubectl holds its lock for milliseconds. */
const longestLockMs = 1000;
const lockPauseMs = 25;

interface StoredTokens {
  readonly idToken?: string;
  readonly refreshToken?: string;
}

const readDocument = async (file: string): Promise<Document> =>
  parseDocument(await readFile(file, 'utf8'), { merge: true, logLevel: 'error' });

/** Returns the users of a kubeconfig, in their order. Those that are no objects are undefined. */
function usersOf(document: Document): readonly unknown[] {
  const users: unknown = memberAt(document.toJS(), 'users');
  return Array.isArray(users) ? (users as unknown[]).map((user) => (isJsonObject(user) ? user : undefined)) : [];
}

const textAt = (user: unknown, field: string): string | undefined => {
  const value = memberAt(user, ...configPath, field);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Returns the tokens that the kubeconfig has now; none when it cannot be read or has no such user. */
export async function storedTokens({ file, user, issuer, clientId }: OidcConfig): Promise<StoredTokens> {
  try {
    const found = usersOf(await readDocument(file)).find((one) => memberAt(one, 'name') === user);
    if (textAt(found, 'idp-issuer-url') !== issuer || textAt(found, 'client-id') !== clientId) return {};
    const [idToken, refreshToken] = [textAt(found, 'id-token'), textAt(found, 'refresh-token')];
    return { ...(idToken === undefined ? {} : { idToken }), ...(refreshToken === undefined ? {} : { refreshToken }) };
  } catch {
    return {};
  }
}

/** Sets a member of an object in a document. An alias on the way leads to its anchor. */
function setMember(document: Document, path: readonly (string | number)[], value: string): void {
  let node: unknown = document.contents;
  for (const key of path.slice(0, -1)) {
    const next: unknown = isCollection(node) ? node.get(key, true) : undefined;
    node = isAlias(next) ? next.resolve(document) : next;
  }
  if (!isCollection(node)) throw new Error('the kubeconfig has another form than before');
  node.set(path.at(-1), value);
}

/** Creates the lock file. Waits for another program to remove its own. */
async function lockFile(lock: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += lockPauseMs) {
    try {
      await (await open(lock, 'wx', 0o600)).close();
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || waitedMs >= longestLockMs) throw error;
      await sleep(lockPauseMs);
    }
  }
}

/** Replaces a file in one step. It keeps its mode and its owner: `sudo` may have left the home folder of the user. */
async function replaceFile(file: string, draft: string, text: string): Promise<void> {
  const { mode, uid, gid } = await stat(file);
  await writeFile(draft, text, { mode: 0o600 });
  // After the creation, whose mode the umask limits.
  await chmod(draft, mode & 0o777);
  const created = await stat(draft);
  if (created.uid !== uid || created.gid !== gid) await chown(draft, uid, gid);
  await rename(draft, file);
}

/**
 * Replaces the tokens of every user of a kubeconfig that has the used refresh token. Comments and other fields stay. If no user has it any more, another
 * program was faster, and nothing is written.
 *
 * @throws when the file cannot be written, or another program holds its lock for a second, which kubectl calls `<file>.lock`
 */
export async function storeTokens(
  path: string,
  used: string,
  { idToken, refreshToken }: { readonly idToken: string; readonly refreshToken: string },
): Promise<void> {
  const file = await realpath(path);
  const lock = `${file}.lock`;
  await lockFile(lock);
  const draft = `${file}.${process.pid}.new`;
  try {
    const document = await readDocument(file);
    const holders = usersOf(document).flatMap((user, index) => (textAt(user, 'refresh-token') === used ? [index] : []));
    if (holders.length === 0) return;
    for (const index of holders) {
      setMember(document, ['users', index, ...configPath, 'id-token'], idToken);
      setMember(document, ['users', index, ...configPath, 'refresh-token'], refreshToken);
    }
    await replaceFile(file, draft, document.toString({ lineWidth: 0 }));
  } finally {
    await rm(draft, { force: true });
    await rm(lock, { force: true });
  }
}
